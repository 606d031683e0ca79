import type { AnyThreadChannel, Message, SendableChannels } from 'discord.js';
import type { Session } from '../../conversation/session.js';
import { deleteAnswerWithoutQuestions } from '../answers/outbox.js';
import { editOf } from '../shared/content.js';
import type { BotContext } from '../shared/context.js';
import { asDeliveryError, DeliveryError } from '../shared/delivery-error.js';
import { channelIdOf, isContentHidden, isHumanMessage } from '../shared/incoming.js';
import { editMessage, eraseMessages } from './erasure.js';

/** Ids of messages that a session keeps something of: of what people said, and of those that show its answers. */
type StoredIds = { said: string[]; shown: string[] };

/** The newest messages of a channel, newest first; `all` says that there are no older ones. */
export type ChannelHistory = { messages: Message[]; all: boolean };

/** The newest that a session keeps, `limit` sayings at most. An answer that is not complete yet is left to whoever completes it. */
export async function storedIdsOf(ctx: BotContext, session: Session, limit: number): Promise<StoredIds> {
  const { sessions, deliveries } = ctx.chatbot;
  const said = await sessions.platformIdsSince(session.id, 0, limit);
  const unfinished = await deliveries.unfinishedAnswer(session.id);
  const open = new Set(unfinished?.turn.questions.map(({ platformId }) => platformId));
  const shown: string[] = [];
  for (const id of said) {
    if (open.has(id)) continue;
    for (const { messageId } of await deliveries.deliveriesOf(session.id, id)) {
      if (messageId !== null) shown.push(messageId);
    }
  }
  return { said, shown };
}

/** Follows what was deleted and edited in a channel since a session kept it; what still says the same is left as it is. */
export async function applyMissedChanges(
  ctx: BotContext,
  session: Session,
  channel: SendableChannels,
  kept: StoredIds,
  past: ChannelHistory,
): Promise<void> {
  await eraseMissing(ctx, session, channel, kept, past);
  await followEdits(ctx, session, new Set(kept.said), past.messages);
  const startedBy = channelIdOf(session.id) ?? '';
  if (channel.isThread() && kept.said.includes(startedBy)) await followStarter(ctx, session, channel);
}

/** Erases what is kept and should be among the messages read, but is not. A thread's starter may lie in its channel. */
async function eraseMissing(
  ctx: BotContext,
  session: Session,
  channel: SendableChannels,
  { said, shown }: StoredIds,
  past: ChannelHistory,
): Promise<void> {
  const oldest = BigInt(past.messages.at(-1)?.id ?? 0);
  const there = new Set(past.messages.map(({ id }) => id));
  const gone = [...said, ...shown].filter(
    (id) => /^\d+$/u.test(id) && !there.has(id) && id !== channelIdOf(session.id) && (past.all || BigInt(id) > oldest),
  );
  if (gone.length === 0) return;
  if (!isAnswering(ctx, session, gone)) await deleteAnswerWithoutQuestions(ctx, session, gone, async () => channel);
  await eraseMessages(ctx, session, gone);
  for (const id of gone) await ctx.running.messageDeleted(session.id, id);
}

/** Whether an answer to one of these messages is being given. */
export function isAnswering(ctx: BotContext, { id }: Session, messageIds: readonly string[]): boolean {
  return messageIds.some((messageId) => ctx.running.byQuestion(id, messageId) !== null);
}

async function followEdits(ctx: BotContext, session: Session, kept: Set<string>, messages: Message[]): Promise<void> {
  for (const message of messages) {
    if (kept.has(message.id) && isReadableEdit(ctx, message)) {
      await editMessage(ctx, session, await editOf(message));
    }
  }
}

function isReadableEdit(ctx: BotContext, message: Message): boolean {
  if (message.editedTimestamp === null || !isHumanMessage(message)) return false;
  return !isContentHidden(message, ctx.options.messageContent);
}

/** The message that a thread was opened from is kept in the thread, whether its channel keeps it or not. */
async function followStarter(ctx: BotContext, session: Session, thread: AnyThreadChannel): Promise<void> {
  try {
    const starter = await thread.fetchStarterMessage({ cache: false, force: true });
    if (starter !== null && isReadableEdit(ctx, starter)) await ctx.chatbot.edit(session, await editOf(starter));
  } catch (error) {
    const failure = asDeliveryError(error);
    if (!(failure instanceof DeliveryError)) throw error;
    if (failure.code === 'gone') await ctx.chatbot.erase(session, [thread.id]);
  }
}

import type { AnyThreadChannel, Message, SendableChannels } from 'discord.js';
import type { Session } from '../../conversation/session.js';
import { deleteAnswerWithoutQuestions } from '../answers/interrupted-answers.js';
import { editOf } from '../shared/content.js';
import type { BotContext } from '../shared/context.js';
import { asDeliveryError, DeliveryError } from '../shared/delivery-error.js';
import { isSnowflake } from '../shared/format.js';
import { channelIdOf, isContentHidden, isHumanMessage } from '../shared/incoming.js';
import { editMessage, eraseMessages } from './erasure.js';

/** Ids of the messages that a session stores: those of people, and those that show its answers. */
type StoredIds = { said: string[]; shown: string[] };

/** The newest messages of a channel, newest first; `complete` says that there are no older ones. */
export type ChannelHistory = { messages: Message[]; complete: boolean };

/** Lists the newest messages that a session stores, `limit` of people at most. An unfinished answer is left to its resumption. */
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

/** Applies the deletions and edits in a channel since a session stored its messages. */
export async function applyMissedChanges(
  ctx: BotContext,
  session: Session,
  channel: SendableChannels,
  stored: StoredIds,
  history: ChannelHistory,
): Promise<void> {
  await eraseMissing(ctx, session, channel, stored, history);
  await applyEdits(ctx, session, new Set(stored.said), history.messages);
  const starterId = channelIdOf(session.id) ?? '';
  if (channel.isThread() && stored.said.includes(starterId)) await applyStarterChange(ctx, session, channel);
}

/** Erases what is stored and would be among the messages read, but is not. A thread's starter may lie in its channel. */
async function eraseMissing(
  ctx: BotContext,
  session: Session,
  channel: SendableChannels,
  { said, shown }: StoredIds,
  history: ChannelHistory,
): Promise<void> {
  const oldest = BigInt(history.messages.at(-1)?.id ?? 0);
  const present = new Set(history.messages.map(({ id }) => id));
  const missing = [...said, ...shown].filter(
    (id) =>
      isSnowflake(id) &&
      !present.has(id) &&
      id !== channelIdOf(session.id) &&
      (history.complete || BigInt(id) > oldest),
  );
  if (missing.length === 0) return;
  if (!hasRunningAnswerTo(ctx, session, missing)) {
    await deleteAnswerWithoutQuestions(ctx, session, missing, async () => channel);
  }
  await eraseMessages(ctx, session, missing);
  for (const id of missing) await ctx.running.messageDeleted(session.id, id);
}

/** Whether an answer to one of these messages is running. */
export function hasRunningAnswerTo(ctx: BotContext, { id }: Session, messageIds: readonly string[]): boolean {
  return messageIds.some((messageId) => ctx.running.byQuestion(id, messageId) !== null);
}

async function applyEdits(
  ctx: BotContext,
  session: Session,
  storedIds: Set<string>,
  messages: Message[],
): Promise<void> {
  for (const message of messages) {
    if (storedIds.has(message.id) && isReadableEdit(ctx, message)) {
      await editMessage(ctx, session, await editOf(message));
    }
  }
}

function isReadableEdit(ctx: BotContext, message: Message): boolean {
  if (message.editedTimestamp === null || !isHumanMessage(message)) return false;
  return !isContentHidden(message, ctx.options.messageContent);
}

/** The message that a thread was opened from is stored in the thread, whether its channel stores it or not. */
async function applyStarterChange(ctx: BotContext, session: Session, thread: AnyThreadChannel): Promise<void> {
  try {
    const starter = await thread.fetchStarterMessage({ cache: false, force: true });
    if (starter !== null && isReadableEdit(ctx, starter)) await ctx.chatbot.edit(session, await editOf(starter));
  } catch (error) {
    const failure = asDeliveryError(error);
    if (!(failure instanceof DeliveryError)) throw error;
    if (failure.code === 'gone') await ctx.chatbot.erase(session, [thread.id]);
  }
}

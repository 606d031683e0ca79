import type { AnyThreadChannel, Message, SendableChannels } from 'discord.js';
import type { Session } from '../../conversation/session.js';
import { removeWithout } from '../answers/outbox.js';
import { editOf } from '../shared/content.js';
import type { BotContext } from '../shared/context.js';
import { asDeliveryError, DeliveryError } from '../shared/delivery-error.js';
import { channelIdOf, isHidden, isTalk } from '../shared/incoming.js';
import { editMessage, eraseMessages } from './erasure.js';

/** Ids of messages that a session keeps something of: of what people said, and of those that show its answers. */
type Kept = { said: string[]; shown: string[] };

/** The newest messages of a channel, newest first; `all` says that there are no older ones. */
export type Past = { messages: Message[]; all: boolean };

/** The newest that a session keeps, `limit` sayings at most. An answer that is not complete yet is left to whoever completes it. */
export async function keptOf(door: BotContext, session: Session, limit: number): Promise<Kept> {
  const { places, deliveries } = door.chatbot;
  const said = await places.platformIdsSince(session.id, 0, limit);
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
export async function followChanges(
  door: BotContext,
  session: Session,
  channel: SendableChannels,
  kept: Kept,
  past: Past,
): Promise<void> {
  await eraseMissing(door, session, channel, kept, past);
  await followEdits(door, session, new Set(kept.said), past.messages);
  const startedBy = channelIdOf(session.id) ?? '';
  if (channel.isThread() && kept.said.includes(startedBy)) await followStarter(door, session, channel);
}

/** Erases what is kept and should be among the messages read, but is not. A thread's starter may lie in its channel. */
async function eraseMissing(
  door: BotContext,
  session: Session,
  channel: SendableChannels,
  { said, shown }: Kept,
  past: Past,
): Promise<void> {
  const oldest = BigInt(past.messages.at(-1)?.id ?? 0);
  const there = new Set(past.messages.map(({ id }) => id));
  const gone = [...said, ...shown].filter(
    (id) => /^\d+$/u.test(id) && !there.has(id) && id !== channelIdOf(session.id) && (past.all || BigInt(id) > oldest),
  );
  if (gone.length === 0) return;
  if (!isAnswering(door, session, gone)) await removeWithout(door, session, gone, async () => channel);
  await eraseMessages(door, session, gone);
  for (const id of gone) await door.running.messageDeleted(session.id, id);
}

/** Whether an answer to one of these messages is being given. */
export function isAnswering(door: BotContext, { id }: Session, messageIds: readonly string[]): boolean {
  return messageIds.some((messageId) => door.running.byQuestion(id, messageId) !== null);
}

async function followEdits(door: BotContext, session: Session, kept: Set<string>, messages: Message[]): Promise<void> {
  for (const message of messages) {
    if (kept.has(message.id) && isReadableEdit(door, message)) {
      await editMessage(door, session, await editOf(message));
    }
  }
}

function isReadableEdit(door: BotContext, message: Message): boolean {
  if (message.editedTimestamp === null || !isTalk(message)) return false;
  return !isHidden(message, door.options.messageContent);
}

/** The message that a thread was opened from is kept in the thread, whether its channel keeps it or not. */
async function followStarter(door: BotContext, session: Session, thread: AnyThreadChannel): Promise<void> {
  try {
    const starter = await thread.fetchStarterMessage({ cache: false, force: true });
    if (starter !== null && isReadableEdit(door, starter)) await door.chatbot.edit(session, await editOf(starter));
  } catch (error) {
    const failure = asDeliveryError(error);
    if (!(failure instanceof DeliveryError)) throw error;
    if (failure.code === 'gone') await door.chatbot.erase(session, [thread.id]);
  }
}

import { DiscordAPIError, type Message, RESTJSONErrorCodes } from 'discord.js';
import type { Edit } from '../../chatbot/erasure.js';
import type { Session } from '../../conversation/session.js';
import type { BotContext } from '../shared/context.js';
import { channelIdOf, discordSession } from '../shared/incoming.js';

/**
 * Erases messages of a session. The message that a thread was opened from has the thread's own id, and is remembered in
 * both places.
 */
export async function eraseMessages(door: BotContext, session: Session, ids: readonly string[]): Promise<void> {
  await door.chatbot.erase(session, ids);
  for (const id of ids) {
    const thread = await threadFrom(door, session, id);
    if (thread !== null) await door.chatbot.erase(thread, [id]);
  }
}

/** Follows an edit, in the thread too that was opened from the message. */
export async function editMessage(door: BotContext, session: Session, edit: Edit): Promise<void> {
  await door.chatbot.edit(session, edit);
  const thread = await threadFrom(door, session, edit.platformId);
  if (thread !== null) await door.chatbot.edit(thread, edit);
}

/** The session of the thread that was opened from a message, or null when nothing of it is kept. */
async function threadFrom(door: BotContext, { id, serverId }: Session, messageId: string): Promise<Session | null> {
  const thread = discordSession(messageId, serverId, channelIdOf(id));
  return thread.id !== id && (await door.chatbot.places.isKnown(thread.id)) ? thread : null;
}

/**
 * Forgets a channel or thread that was deleted, and the threads in it, each after what is being taken in there; nothing is
 * taken in afterwards, as its id is never given again.
 */
export async function forgetChannel(door: BotContext, channelId: string): Promise<void> {
  const { places } = door.chatbot;
  const { id } = discordSession(channelId, null);
  const end = (sessionId: string) => {
    door.gaps.end(sessionId);
    door.running.stop(sessionId, 'deleted');
  };
  // A thread may be so new that nothing of it is stored yet.
  const ids = new Set([id, ...threadsIn(door, channelId)]);
  for (const each of ids) end(each);
  for (const thread of await places.threadsOf(id)) ids.add(thread.id);
  await Promise.all([...ids].map((each) => forgetLast(door, each, end)));
}

/** An answer that was begun while the removal waited is stopped too. */
async function forgetLast(door: BotContext, sessionId: string, end: (sessionId: string) => void): Promise<void> {
  end(sessionId);
  await door.intake.run(channelIdOf(sessionId) ?? sessionId, async () => {
    await door.chatbot.places.removeSession(sessionId);
    end(sessionId);
  });
}

/** Whether a message is of a channel that was deleted since, or of a thread in such a one. */
export function isOfDeleted(door: BotContext, { channelId }: Message): boolean {
  const channel = door.client.channels.cache.get(channelId);
  const parentId = channel?.isThread() ? channel.parentId : null;
  return [channelId, parentId].some((id) => id !== null && door.gaps.hasEnded(discordSession(id, null).id));
}

/**
 * Whether an error of a request about a session's channel says that it is no more. Of a server that the bot is not in it
 * can say nothing.
 */
export function saysDeleted(door: BotContext, session: Session, error: unknown): boolean {
  if (session.serverId !== null && !door.client.guilds.cache.has(session.serverId)) return false;
  const cause = error instanceof Error && !(error instanceof DiscordAPIError) ? error.cause : error;
  return cause instanceof DiscordAPIError && cause.code === RESTJSONErrorCodes.UnknownChannel;
}

function threadsIn(door: BotContext, channelId: string): string[] {
  const channel = door.client.channels.cache.get(channelId);
  if (channel === undefined || !('threads' in channel)) return [];
  return [...channel.threads.cache.keys()].map((id) => discordSession(id, null).id);
}

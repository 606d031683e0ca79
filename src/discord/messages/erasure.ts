import { DiscordAPIError, type Message, RESTJSONErrorCodes } from 'discord.js';
import type { Edit } from '../../chatbot/erasure.js';
import type { Session } from '../../conversation/session.js';
import { isKnownSession } from '../shared/channels.js';
import type { BotContext } from '../shared/context.js';
import { channelIdOf, discordSession } from '../shared/incoming.js';

/**
 * Erases messages of a session. The message that a thread was opened from has the thread's own id, and is remembered in
 * both places.
 */
export async function eraseMessages(ctx: BotContext, session: Session, ids: readonly string[]): Promise<void> {
  await ctx.chatbot.erase(session, ids);
  for (const id of ids) {
    const thread = await threadFrom(ctx, session, id);
    if (thread !== null) await ctx.chatbot.erase(thread, [id]);
  }
}

/** Follows an edit, in the thread too that was opened from the message. */
export async function editMessage(ctx: BotContext, session: Session, edit: Edit): Promise<void> {
  await ctx.chatbot.edit(session, edit);
  const thread = await threadFrom(ctx, session, edit.platformId);
  if (thread !== null) await ctx.chatbot.edit(thread, edit);
}

/** The session of the thread that was opened from a message, or null when nothing of it is kept. */
async function threadFrom(ctx: BotContext, { id, serverId }: Session, messageId: string): Promise<Session | null> {
  const thread = discordSession(messageId, serverId, channelIdOf(id));
  return thread.id !== id && (await isKnownSession(ctx, thread.id)) ? thread : null;
}

/**
 * Forgets a channel or thread that was deleted, and the threads in it, each after what is being taken in there; nothing is
 * taken in afterwards, as its id is never given again.
 */
export async function forgetChannel(ctx: BotContext, channelId: string): Promise<void> {
  const { id } = discordSession(channelId, null);
  const end = (sessionId: string) => {
    ctx.gaps.end(sessionId);
    ctx.running.stop(sessionId, 'deleted');
  };
  // A thread may be so new that nothing of it is stored yet.
  const ids = new Set([id, ...threadsIn(ctx, channelId)]);
  for (const each of ids) end(each);
  for (const thread of await ctx.chatbot.sessions.threadsOf(id)) ids.add(thread.id);
  await Promise.all([...ids].map((each) => forgetLast(ctx, each, end)));
}

/** An answer that was begun while the removal waited is stopped too. */
async function forgetLast(ctx: BotContext, sessionId: string, end: (sessionId: string) => void): Promise<void> {
  end(sessionId);
  await ctx.intake.run(channelIdOf(sessionId) ?? sessionId, async () => {
    await ctx.chatbot.removeSession(sessionId);
    end(sessionId);
  });
}

/** Whether a message is of a channel that was deleted since, or of a thread in such a one. */
export function isFromDeletedChannel(ctx: BotContext, { channelId }: Message): boolean {
  const channel = ctx.client.channels.cache.get(channelId);
  const parentId = channel?.isThread() ? channel.parentId : null;
  return [channelId, parentId].some((id) => id !== null && ctx.gaps.hasEnded(discordSession(id, null).id));
}

/**
 * Whether an error of a request about a session's channel says that it is no more. Of a server that the bot is not in it
 * can say nothing.
 */
export function meansChannelDeleted(ctx: BotContext, session: Session, error: unknown): boolean {
  if (session.serverId !== null && !ctx.client.guilds.cache.has(session.serverId)) return false;
  const cause = error instanceof Error && !(error instanceof DiscordAPIError) ? error.cause : error;
  return cause instanceof DiscordAPIError && cause.code === RESTJSONErrorCodes.UnknownChannel;
}

function threadsIn(ctx: BotContext, channelId: string): string[] {
  const channel = ctx.client.channels.cache.get(channelId);
  if (channel === undefined || !('threads' in channel)) return [];
  return [...channel.threads.cache.keys()].map((id) => discordSession(id, null).id);
}

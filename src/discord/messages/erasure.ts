import { DiscordAPIError, type Message, RESTJSONErrorCodes } from 'discord.js';
import type { Edit } from '../../chatbot/erasure.js';
import type { Session } from '../../conversation/session.js';
import { hasStoredMessages } from '../shared/channels.js';
import type { BotContext } from '../shared/context.js';
import { channelIdOf, discordSession } from '../shared/incoming.js';

/** Erases messages of a session, also in the threads that were opened from them. */
export async function eraseMessages(ctx: BotContext, session: Session, ids: readonly string[]): Promise<void> {
  await ctx.chatbot.erase(session, ids);
  for (const id of ids) await eraseStarter(ctx, session, id);
}

/** Applies an edit, also in the thread that was opened from the message. */
export async function editMessage(ctx: BotContext, session: Session, edit: Edit): Promise<void> {
  await ctx.chatbot.edit(session, edit);
  await editStarter(ctx, session, edit.platformId, edit);
}

/** Erases a message in the thread that was opened from it. */
export async function eraseStarter(ctx: BotContext, session: Session, messageId: string): Promise<void> {
  await inThreadFrom(ctx, session, messageId, (thread) => ctx.chatbot.erase(thread, [messageId]));
}

/** Applies the edit of a message in the thread that was opened from it. */
export async function editStarter(
  ctx: BotContext,
  session: Session,
  messageId: string,
  edit: Edit | Promise<Edit>,
): Promise<void> {
  await inThreadFrom(ctx, session, messageId, async (thread) => ctx.chatbot.edit(thread, await edit));
}

/**
 * Changes what is stored of a message in the thread that was opened from it, which has the message's id, in that thread's
 * intake queue: a question there sees every change that came before it, whatever the queue of the channel waits for.
 */
async function inThreadFrom(
  ctx: BotContext,
  { id, serverId }: Session,
  messageId: string,
  change: (thread: Session) => Promise<unknown>,
): Promise<void> {
  const thread = discordSession(messageId, serverId, channelIdOf(id));
  if (thread.id === id) return;
  await ctx.intake.run(messageId, async () => {
    if (await hasStoredMessages(ctx, thread.id)) await change(thread);
  });
}

/**
 * Forgets a channel or thread that was deleted, and its threads, each after the messages in its intake queue; nothing is stored
 * there afterwards, since Discord never reuses an id.
 */
export async function forgetChannel(ctx: BotContext, channelId: string): Promise<void> {
  const { id } = discordSession(channelId, null);
  // A thread may be so new that nothing of it is stored yet.
  const ids = new Set([id, ...cachedThreads(ctx, channelId)]);
  for (const each of ids) endSession(ctx, each);
  for (const thread of await ctx.chatbot.sessions.threadsOf(id)) ids.add(thread.id);
  await Promise.all([...ids].map((each) => removeSession(ctx, each)));
}

function cachedThreads(ctx: BotContext, channelId: string): string[] {
  const channel = ctx.client.channels.cache.get(channelId);
  if (channel === undefined || !('threads' in channel)) return [];
  return [...channel.threads.cache.keys()].map((id) => discordSession(id, null).id);
}

function endSession(ctx: BotContext, sessionId: string): void {
  ctx.backfill.channelDeleted(sessionId);
  ctx.running.stop(sessionId, 'deleted');
}

async function removeSession(ctx: BotContext, sessionId: string): Promise<void> {
  endSession(ctx, sessionId);
  await ctx.intake.run(channelIdOf(sessionId) ?? sessionId, async () => {
    await ctx.chatbot.removeSession(sessionId);
    // Stops an answer that was begun while the removal waited.
    endSession(ctx, sessionId);
  });
}

/** Whether a message belongs to a channel that was deleted since, or to a thread in such a one. */
export function isFromDeletedChannel(ctx: BotContext, { channelId }: Message): boolean {
  const channel = ctx.client.channels.cache.get(channelId);
  const parentId = channel?.isThread() ? channel.parentId : null;
  return [channelId, parentId].some((id) => id !== null && ctx.backfill.isChannelDeleted(discordSession(id, null).id));
}

/**
 * Whether the error of a request about a session's channel means that it was deleted. Discord answers the same for channels of
 * a server that the bot has left.
 */
export function meansChannelDeleted(ctx: BotContext, session: Session, error: unknown): boolean {
  if (session.serverId !== null && !ctx.client.guilds.cache.has(session.serverId)) return false;
  const cause = error instanceof Error && !(error instanceof DiscordAPIError) ? error.cause : error;
  return cause instanceof DiscordAPIError && cause.code === RESTJSONErrorCodes.UnknownChannel;
}

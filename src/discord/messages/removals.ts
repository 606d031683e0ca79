import { GatewayDispatchEvents, type GatewayDispatchPayload } from 'discord.js';
import type { Session } from '../../conversation/session.js';
import { deleteAnswerWithoutQuestions } from '../answers/interrupted-answers.js';
import { fetchChannel } from '../shared/channels.js';
import type { BotContext } from '../shared/context.js';
import { channelIdOf, discordSession } from '../shared/incoming.js';
import { eraseStarter, forgetChannel, meansChannelDeleted } from './erasure.js';
import { hasRunningAnswerTo } from './missed-changes.js';

/** The dispatches that {@link applyRemoval} handles. */
export const REMOVAL_EVENTS = [
  GatewayDispatchEvents.MessageDelete,
  GatewayDispatchEvents.MessageDeleteBulk,
  GatewayDispatchEvents.ThreadDelete,
  GatewayDispatchEvents.ChannelDelete,
  GatewayDispatchEvents.GuildDelete,
] as const;

/**
 * Applies a deletion, read from the raw dispatch: the library reports most deletions only of messages that it has cached. A
 * server that is unavailable is an outage, not a removal.
 */
export async function applyRemoval(ctx: BotContext, dispatch: GatewayDispatchPayload): Promise<void> {
  switch (dispatch.t) {
    case GatewayDispatchEvents.MessageDelete:
      return applyDeletion(ctx, dispatch.d.channel_id, dispatch.d.guild_id, [dispatch.d.id]);
    case GatewayDispatchEvents.MessageDeleteBulk:
      return applyDeletion(ctx, dispatch.d.channel_id, dispatch.d.guild_id, dispatch.d.ids);
    case GatewayDispatchEvents.ThreadDelete:
    case GatewayDispatchEvents.ChannelDelete:
      return forgetChannel(ctx, dispatch.d.id);
    case GatewayDispatchEvents.GuildDelete:
      return dispatch.d.unavailable === true ? undefined : markGuildLeft(ctx, dispatch.d.id);
    default:
      return undefined;
  }
}

async function applyDeletion(
  ctx: BotContext,
  channelId: string,
  guildId: string | undefined,
  ids: string[],
): Promise<void> {
  const session = discordSession(channelId, guildId ?? null);
  // Through the intake queue, so that no later prompt contains what was deleted before its question.
  const erased = ctx.intake.run(channelId, async () => {
    await deleteInterruptedAnswer(ctx, session, ids);
    await ctx.chatbot.erase(session, ids);
  });
  await Promise.all([erased, ...ids.map((id) => eraseStarter(ctx, session, id))]);
  for (const id of ids) await ctx.running.messageDeleted(session.id, id);
}

/** An answer that was interrupted by a crash or an outage is not running. What Discord does not delete now is erased anyway. */
async function deleteInterruptedAnswer(ctx: BotContext, session: Session, ids: readonly string[]): Promise<void> {
  if (hasRunningAnswerTo(ctx, session, ids)) return;
  try {
    await deleteAnswerWithoutQuestions(ctx, session, ids, () => fetchChannel(ctx, session));
  } catch (error) {
    ctx.logger.warn({ sessionId: session.id, error }, 'failed to delete the messages of an interrupted answer');
  }
}

/** The fact under which the store keeps when the bot was found to be out of a server. */
const leftFact = (serverId: string) => `gone ${serverId}`;

/** The bot was removed from a server: its answers there stop, and the grace period begins after which the server is forgotten. */
async function markGuildLeft(ctx: BotContext, serverId: string): Promise<void> {
  const { sessions } = ctx.chatbot;
  const left = await sessions.sessionsOfServer(serverId);
  for (const { id } of left) ctx.running.stop(id, 'deleted');
  // A server without sessions is not found by `forgetLeftGuilds`; its settings are removed at once.
  if (left.length === 0) await ctx.chatbot.removeServer(serverId);
  else await sessions.saveFact(leftFact(serverId), String(ctx.clock()));
}

/** Forgets servers that the bot has been out of for the grace period; one that it is in again is kept. */
export async function forgetLeftGuilds(ctx: BotContext): Promise<void> {
  // Before the login the cache is empty.
  if (!ctx.client.isReady()) return;
  const { sessions } = ctx.chatbot;
  for (const serverId of await sessions.servers()) {
    const since = await sessions.loadFact(leftFact(serverId));
    if (serverId === 'terminal' || ctx.client.guilds.cache.has(serverId)) {
      if (since !== null) await sessions.saveFact(leftFact(serverId), null);
    } else if (since === null) {
      await sessions.saveFact(leftFact(serverId), String(ctx.clock()));
    } else if (ctx.clock() - Number(since) > ctx.options.graceMs) {
      ctx.logger.info({ serverId }, 'forgetting a server that the bot has left');
      await ctx.chatbot.removeServer(serverId);
      await sessions.saveFact(leftFact(serverId), null);
    }
  }
}

/** How many channels are fetched in one round at most, and at which interval: far below Discord's limit. */
const CHECKS = 50;
const CHECK_INTERVAL_MS = 40;
/** The fact that holds the cursor over all sessions. */
const CURSOR_FACT = 'channels checked through';

/**
 * Forgets channels and threads that were deleted while the bot was offline or their session was inactive, a few in each round:
 * the next one continues at the cursor.
 */
export async function forgetDeletedChannels(ctx: BotContext): Promise<void> {
  if (!ctx.client.isReady()) return;
  const { sessions } = ctx.chatbot;
  let checks = 0;
  let cursor: string | null = null;
  for await (const session of ctx.chatbot.eachSession((await sessions.loadFact(CURSOR_FACT)) ?? '')) {
    cursor = session.id;
    if (!isUnlisted(ctx, session)) continue;
    await ctx.sleep(CHECK_INTERVAL_MS);
    if (await isDeleted(ctx, session)) await forgetChannel(ctx, channelIdOf(session.id) ?? '');
    checks += 1;
    if (checks === CHECKS) break;
  }
  await sessions.saveFact(CURSOR_FACT, checks === CHECKS ? cursor : null);
}

/** Discord lists the channels and open threads of a server; an unlisted one is archived, hidden or deleted. */
function isUnlisted(ctx: BotContext, { id, serverId }: Session): boolean {
  const channelId = channelIdOf(id);
  const server = serverId === null ? undefined : ctx.client.guilds.cache.get(serverId);
  return channelId !== null && server?.available === true && !server.channels.cache.has(channelId);
}

/** A channel that cannot be fetched now is checked in a later pass. */
async function isDeleted(ctx: BotContext, session: Session): Promise<boolean> {
  try {
    await ctx.client.channels.fetch(channelIdOf(session.id) ?? '', { force: true, cache: false });
    return false;
  } catch (error) {
    return meansChannelDeleted(ctx, session, error);
  }
}

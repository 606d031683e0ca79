import { GatewayDispatchEvents, type GatewayDispatchPayload } from 'discord.js';
import type { Session } from '../../conversation/session.js';
import { deleteAnswerWithoutQuestions } from '../answers/outbox.js';
import { fetchChannel } from '../shared/channels.js';
import type { BotContext } from '../shared/context.js';
import { channelIdOf, discordSession } from '../shared/incoming.js';
import { eraseMessages, forgetChannel, meansChannelDeleted } from './erasure.js';
import { isAnswering } from './missed-changes.js';

/** How many channels are asked for in one round at most, and in which intervals: far below what Discord allows. */
const CHECKS = 50;
const CHECK_EVERY_MS = 40;
/** The session through which the present pass over all sessions has come. */
const CHECKED = 'channels checked through';

const gone = (serverId: string) => `gone ${serverId}`;

/** The bot was removed from a server: it stops what it says there, and the grace begins after which the server is forgotten. */
async function markGuildLeft(ctx: BotContext, serverId: string): Promise<void> {
  const { sessions } = ctx.chatbot;
  const left = await sessions.sessionsOfServer(serverId);
  for (const { id } of left) ctx.running.stop(id, 'deleted');
  // Of servers without sessions nothing is known later but what is set there.
  if (left.length === 0) await ctx.chatbot.removeServer(serverId);
  else await sessions.saveFact(gone(serverId), String(ctx.clock()));
}

/** Forgets servers that the bot has been out of for the grace period; one that is there again is kept. */
export async function removeLeftGuilds(ctx: BotContext): Promise<void> {
  // Before the login no server is there.
  if (!ctx.client.isReady()) return;
  const { sessions } = ctx.chatbot;
  for (const serverId of await sessions.servers()) {
    const since = await sessions.loadFact(gone(serverId));
    if (serverId === 'terminal' || ctx.client.guilds.cache.has(serverId)) {
      if (since !== null) await sessions.saveFact(gone(serverId), null);
    } else if (since === null) {
      await sessions.saveFact(gone(serverId), String(ctx.clock()));
    } else if (ctx.clock() - Number(since) > ctx.options.graceMs) {
      ctx.logger.info({ serverId }, 'a server that the bot has left is forgotten');
      await ctx.chatbot.removeServer(serverId);
      await sessions.saveFact(gone(serverId), null);
    }
  }
}

/**
 * Forgets channels and threads that were deleted while the bot was away or their session was silent, a few at a time: the
 * next round goes on where this one ends.
 */
export async function removeDeletedChannels(ctx: BotContext): Promise<void> {
  if (!ctx.client.isReady()) return;
  const { sessions } = ctx.chatbot;
  let checks = 0;
  let through: string | null = null;
  for await (const session of ctx.chatbot.eachSession((await sessions.loadFact(CHECKED)) ?? '')) {
    through = session.id;
    if (!isUnseen(ctx, session)) continue;
    await ctx.editThrottle.wait(CHECK_EVERY_MS);
    if (await isDeleted(ctx, session)) await forgetChannel(ctx, channelIdOf(session.id) ?? '');
    checks += 1;
    if (checks === CHECKS) break;
  }
  await sessions.saveFact(CHECKED, checks === CHECKS ? through : null);
}

/** Discord lists the channels and open threads of a server; what is not listed is archived, hidden or deleted. */
function isUnseen(ctx: BotContext, { id, serverId }: Session): boolean {
  const channelId = channelIdOf(id);
  const server = serverId === null ? undefined : ctx.client.guilds.cache.get(serverId);
  return channelId !== null && server?.available === true && !server.channels.cache.has(channelId);
}

/** One that cannot be asked for now is asked for in the next pass. */
async function isDeleted(ctx: BotContext, session: Session): Promise<boolean> {
  try {
    await ctx.client.channels.fetch(channelIdOf(session.id) ?? '', { force: true, cache: false });
    return false;
  } catch (error) {
    return meansChannelDeleted(ctx, session, error);
  }
}

/** A raw dispatch packet of the gateway. */
type Packet = GatewayDispatchPayload;

/**
 * What Discord tells of edits and removals, read from the raw packets: the library keeps most of them to itself when it
 * has not cached the message. A server that is unavailable is an outage, not a removal.
 */
export async function applyRemoval(ctx: BotContext, packet: Packet): Promise<void> {
  switch (packet.t) {
    case GatewayDispatchEvents.MessageDelete:
      return followDeletion(ctx, packet.d.channel_id, packet.d.guild_id, [packet.d.id]);
    case GatewayDispatchEvents.MessageDeleteBulk:
      return followDeletion(ctx, packet.d.channel_id, packet.d.guild_id, packet.d.ids);
    case GatewayDispatchEvents.ThreadDelete:
    case GatewayDispatchEvents.ChannelDelete:
      return forgetChannel(ctx, packet.d.id);
    case GatewayDispatchEvents.GuildDelete:
      return packet.d.unavailable === true ? undefined : markGuildLeft(ctx, packet.d.id);
    default:
      return undefined;
  }
}

async function followDeletion(
  ctx: BotContext,
  channelId: string,
  guildId: string | undefined,
  ids: string[],
): Promise<void> {
  const session = discordSession(channelId, guildId ?? null);
  // In the order of what is said there, so that no later prompt holds what was deleted before its question.
  await ctx.intake.run(channelId, async () => {
    await removeInterrupted(ctx, session, ids);
    await eraseMessages(ctx, session, ids);
  });
  for (const id of ids) await ctx.running.messageDeleted(session.id, id);
}

/** Nobody is at work on an answer that waits since a crash or an outage. What Discord does not take away now is erased anyway. */
async function removeInterrupted(ctx: BotContext, session: Session, ids: readonly string[]): Promise<void> {
  if (isAnswering(ctx, session, ids)) return;
  try {
    await deleteAnswerWithoutQuestions(ctx, session, ids, () => fetchChannel(ctx, session));
  } catch (error) {
    ctx.logger.warn({ sessionId: session.id, error }, 'what was shown of an answer was not taken away');
  }
}

/** The packets that {@link applyRemoval} reads. */
export const REMOVAL_EVENTS = [
  GatewayDispatchEvents.MessageDelete,
  GatewayDispatchEvents.MessageDeleteBulk,
  GatewayDispatchEvents.ThreadDelete,
  GatewayDispatchEvents.ChannelDelete,
  GatewayDispatchEvents.GuildDelete,
] as const;

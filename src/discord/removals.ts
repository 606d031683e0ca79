import { GatewayDispatchEvents, type GatewayDispatchPayload } from 'discord.js';
import type { Session } from '../conversation/session.js';
import { eraseMessages } from './both-places.js';
import { fetchChannel } from './channel-of.js';
import { forgetChannel } from './deleted-channel.js';
import type { Door } from './door.js';
import { isAnswering } from './missed-changes.js';
import { removeWithout } from './outbox.js';
import { discordSession } from './session.js';
import { leaveServer } from './vanished.js';

/** A raw dispatch packet of the gateway. */
type Packet = GatewayDispatchPayload;

/**
 * What Discord tells of edits and removals, read from the raw packets: the library keeps most of them to itself when it
 * has not cached the message. A server that is unavailable is an outage, not a removal.
 */
export async function followRemoval(door: Door, packet: Packet): Promise<void> {
  switch (packet.t) {
    case GatewayDispatchEvents.MessageDelete:
      return followDeletion(door, packet.d.channel_id, packet.d.guild_id, [packet.d.id]);
    case GatewayDispatchEvents.MessageDeleteBulk:
      return followDeletion(door, packet.d.channel_id, packet.d.guild_id, packet.d.ids);
    case GatewayDispatchEvents.ThreadDelete:
    case GatewayDispatchEvents.ChannelDelete:
      return forgetChannel(door, packet.d.id);
    case GatewayDispatchEvents.GuildDelete:
      return packet.d.unavailable === true ? undefined : leaveServer(door, packet.d.id);
    default:
      return undefined;
  }
}

async function followDeletion(
  door: Door,
  channelId: string,
  guildId: string | undefined,
  ids: string[],
): Promise<void> {
  const session = discordSession(channelId, guildId ?? null);
  // In the order of what is said there, so that no later prompt holds what was deleted before its question.
  await door.intake.run(channelId, async () => {
    await removeInterrupted(door, session, ids);
    await eraseMessages(door, session, ids);
  });
  for (const id of ids) await door.running.messageDeleted(session.id, id);
}

/** Nobody is at work on an answer that waits since a crash or an outage. What Discord does not take away now is erased anyway. */
async function removeInterrupted(door: Door, session: Session, ids: readonly string[]): Promise<void> {
  if (isAnswering(door, session, ids)) return;
  try {
    await removeWithout(door, session, ids, () => fetchChannel(door, session));
  } catch (error) {
    door.logger.warn({ sessionId: session.id, error }, 'what was shown of an answer was not taken away');
  }
}

/** The packets that {@link followRemoval} reads. */
export const REMOVALS = [
  GatewayDispatchEvents.MessageDelete,
  GatewayDispatchEvents.MessageDeleteBulk,
  GatewayDispatchEvents.ThreadDelete,
  GatewayDispatchEvents.ChannelDelete,
  GatewayDispatchEvents.GuildDelete,
] as const;

import { GatewayDispatchEvents, type GatewayDispatchPayload } from 'discord.js';
import type { Door } from './door.js';
import { discordSession } from './session.js';

/** A raw dispatch packet of the gateway. */
type Packet = GatewayDispatchPayload;

/**
 * What Discord tells of edits and removals, read from the raw packets: the library keeps most of them to itself when it
 * has not cached the message. A server that is unavailable is an outage, not a removal.
 */
export async function followRemoval(door: Door, packet: Packet): Promise<void> {
  switch (packet.t) {
    case GatewayDispatchEvents.MessageDelete:
      return eraseMessages(door, packet.d.channel_id, packet.d.guild_id, [packet.d.id]);
    case GatewayDispatchEvents.MessageDeleteBulk:
      return eraseMessages(door, packet.d.channel_id, packet.d.guild_id, packet.d.ids);
    case GatewayDispatchEvents.ThreadDelete:
    case GatewayDispatchEvents.ChannelDelete:
      door.running.stop(`discord:${packet.d.id}`, 'deleted');
      return door.chatbot.places.removeSession(`discord:${packet.d.id}`);
    case GatewayDispatchEvents.GuildDelete:
      return packet.d.unavailable === true ? undefined : door.chatbot.places.removeServer(packet.d.id);
    default:
      return undefined;
  }
}

/** A thread's first message has the thread's own id, and is remembered in both. */
async function eraseMessages(door: Door, channelId: string, guildId: string | undefined, ids: string[]): Promise<void> {
  const session = discordSession(channelId, guildId ?? null);
  await door.chatbot.erase(session, ids);
  for (const id of ids) await door.running.messageDeleted(session.id, id);
  for (const id of ids) {
    const thread = discordSession(id, guildId ?? null, channelId);
    if (await door.chatbot.places.isKnown(thread.id)) await door.chatbot.erase(thread, [id]);
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

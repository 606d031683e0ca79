import { Events, Status } from 'discord.js';
import { catchUp } from '../catch-up.js';
import { doorEvent } from './on-event.js';

/** An outage of a server is over; during a start, and when a connection begins anew, everything is caught up with anyway. */
export const guildAvailable = doorEvent(Events.GuildAvailable, async (door, guild) => {
  if (!door.client.isReady() || guild.shard.status !== Status.Ready) return;
  door.gaps.begin();
  await catchUp(door, ({ serverId }) => serverId === guild.id);
});

import { Events } from 'discord.js';
import { catchUp } from '../catch-up.js';
import { forgetVanished } from '../vanished.js';
import { doorEvent } from './on-event.js';

/** A connection began anew, and nothing that happened before it is told: what was missed has to be read. */
export const shardReady = doorEvent(Events.ShardReady, async (door) => {
  await door.ready;
  await catchUp(door);
  await forgetVanished(door);
});

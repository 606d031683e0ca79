import { type Client, Events } from 'discord.js';
import type { Door } from './door.js';
import { doorEvents } from './events/index.js';
import { forgetStarts } from './start-manners.js';

/** How long Discord's goodbye is waited for, in milliseconds. */
const GOODBYE_MS = 2_000;
/** How long answers that are stopped at the end may take to say so, in milliseconds. */
const PARKING_MS = 3_000;

/** Takes nothing more in, waits up to `graceMs` for answers under way, parks the rest for the next start, and says goodbye. */
export async function leave(client: Client, door: Door, graceMs: number): Promise<void> {
  for (const event of doorEvents) client.removeAllListeners(event.name);
  // The library says that it connects again also when it leaves.
  client.removeAllListeners(Events.ShardReconnecting);
  const until = door.clock() + graceMs;
  while (door.running.count() > 0 && door.clock() < until) await door.pace.wait(50);
  door.running.stopAll('shutdown');
  while (door.running.count() > 0 && door.clock() < until + PARKING_MS) await door.pace.wait(50);
  await forgetStarts(door.chatbot).catch((error) => door.logger.warn({ error }, 'the start was not forgotten'));
  // The library waits for a goodbye that a lost connection never gives.
  await Promise.race([client.destroy(), door.pace.wait(GOODBYE_MS)]);
}

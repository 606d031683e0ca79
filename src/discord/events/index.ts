import { guildAvailable } from './guild-available.js';
import { interactionCreate } from './interaction-create.js';
import { messageCreate } from './message-create.js';
import { messageUpdate } from './message-update.js';
import type { DoorEvent } from './on-event.js';
import { shardReady } from './shard-ready.js';

/** Every event of the library that the door listens to. */
export const doorEvents: readonly DoorEvent[] = [
  messageCreate,
  messageUpdate,
  interactionCreate,
  shardReady,
  guildAvailable,
];

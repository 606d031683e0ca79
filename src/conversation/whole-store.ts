import type { Archives } from './archive.js';
import type { Deliveries } from './deliveries.js';
import type { People, Places } from './people.js';
import type { ConversationStore } from './store.js';

/** All that a store keeps: the conversations, how they were delivered, and what people and places are owed. */
export type Store = ConversationStore & Deliveries & People & Places & Archives;

import type { Archives } from './archive.js';
import type { Deliveries } from './deliveries.js';
import type { People, Places } from './people.js';
import type { ConversationStore } from './store.js';
import type { Ledger } from './usage.js';

/** All that a store keeps: the conversations, how they were delivered, what people and places are owed, and what was used. */
export type Store = ConversationStore & Deliveries & People & Places & Ledger & Archives;

import type { Store } from '../../conversation/whole-store.js';
import { archiveVerbs, deliveryVerbs, peopleVerbs, placeVerbs, usageVerbs } from './community-verbs.js';
import type { Client } from './database.js';
import { toStorageError } from './failure.js';
import { prepareParts } from './parts.js';
import { erasureVerbs, type Read, recallVerbs, talkVerbs } from './verbs.js';
import { closedError, createWriteQueue } from './write-queue.js';

/**
 * A conversation store over a migrated database. Writes of one turn of the event loop are committed together, readings
 * see what is committed; `onClose` runs once, when the connection is closed.
 */
export function createSqliteStore(client: Client, onClose: () => void): Store {
  const parts = prepareParts(client);
  const queue = createWriteQueue(client);
  const read: Read = async (work) => {
    if (!client.open) throw closedError();
    try {
      return work();
    } catch (error) {
      throw toStorageError(error);
    }
  };
  return {
    ...talkVerbs(parts, read, queue.add),
    ...recallVerbs(parts, read, queue.add),
    ...erasureVerbs(parts, read, queue.add),
    ...deliveryVerbs(parts, read, queue.add),
    ...peopleVerbs(parts, read, queue.add),
    ...placeVerbs(parts, read, queue.add),
    ...usageVerbs(parts, read, queue.add),
    ...archiveVerbs(parts, queue.add),
    async close() {
      if (!client.open) return;
      queue.close();
      client.close();
      onClose();
    },
  };
}

import type { Store } from '../../conversation/store.js';
import { archiveVerbs } from './archive-import.js';
import { cursorVerbs } from './catch-up-cursor.js';
import { type Client, toStorageError } from './connection.js';
import { deliveryVerbs } from './deliveries.js';
import { erasureVerbs } from './erasure.js';
import { closedError, createGroupCommit, type StoreAccess } from './group-commit.js';
import { historyVerbs } from './history.js';
import { messageWriteVerbs } from './message-writes.js';
import { participantVerbs } from './participants.js';
import { retentionVerbs } from './retention.js';
import { sessionVerbs } from './sessions.js';
import { optOutVerbs, settingVerbs } from './settings.js';
import { prepareStatements } from './statements.js';
import { summaryVerbs } from './summaries.js';
import { turnVerbs } from './turns.js';
import { usageVerbs } from './usage.js';

/**
 * Makes a store over a migrated database. Writes of one turn of the event loop are committed together; reads see what is
 * committed. `onClose` runs once, when the connection is closed.
 */
export function createSqliteStore(client: Client, onClose: () => void): Store {
  const statements = prepareStatements(client);
  const queue = createGroupCommit(client);
  const access: StoreAccess = {
    async read(query) {
      if (!client.open) throw closedError();
      try {
        return query();
      } catch (error) {
        throw toStorageError(error);
      }
    },
    write: queue.write,
  };
  return {
    ...sessionVerbs(statements, access),
    ...messageWriteVerbs(statements, access),
    ...turnVerbs(statements, access),
    ...historyVerbs(statements, access),
    ...summaryVerbs(statements, access),
    ...retentionVerbs(statements, access),
    ...erasureVerbs(statements, access),
    ...deliveryVerbs(statements, access),
    ...participantVerbs(statements, access),
    ...settingVerbs(statements, access),
    ...optOutVerbs(statements, access),
    ...cursorVerbs(statements, access),
    ...usageVerbs(statements, access),
    ...archiveVerbs(statements, access),
    async close() {
      if (!client.open) return;
      queue.close();
      client.close();
      onClose();
    },
  };
}

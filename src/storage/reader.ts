import { StorageError } from '../conversation/errors.js';
import type { Store } from '../conversation/whole-store.js';
import { type Client, connectReadOnly } from './sqlite/database.js';
import { toStorageError } from './sqlite/failure.js';
import { appliedMigrations, MIGRATIONS, pendingMigrations, shippedMigrations } from './sqlite/journal.js';
import { locate } from './sqlite/location.js';
import { checkFile } from './sqlite/precheck.js';
import { createSqliteStore } from './sqlite/store.js';

/** The readings of a store that an export takes. */
export type Reader = Pick<
  Store,
  'findSession' | 'listSessions' | 'loadSpan' | 'sessionFacts' | 'loadSettings' | 'close'
>;

/**
 * Opens a store for reading beside its writer.
 * @throws {StorageError} when there is none, or its schema is not this program's.
 */
export function openReader(url: string): Reader {
  const path = locate(url);
  if (!checkFile(path)) throw new StorageError('empty-database', 'There is no database yet; start Keepsake once.');
  try {
    return readerOf(connectReadOnly(path));
  } catch (error) {
    throw toStorageError(error);
  }
}

function readerOf(client: Client): Reader {
  try {
    if (pendingMigrations(appliedMigrations(client), shippedMigrations(MIGRATIONS)).length > 0) {
      throw new StorageError(
        'storage',
        'The database is of an older version; start Keepsake once to bring it up to date.',
      );
    }
    return createSqliteStore(client, () => {});
  } catch (error) {
    client.close();
    throw error;
  }
}

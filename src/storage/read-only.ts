import { StorageError } from '../conversation/errors.js';
import type { Store } from '../conversation/store.js';
import { type Client, connectReadOnly, toStorageError } from './sqlite/connection.js';
import { checkFile, integrityErrors, resolveDatabasePath } from './sqlite/database-file.js';
import { appliedMigrations, MIGRATIONS, pendingMigrations, shippedMigrations } from './sqlite/migrate.js';
import { createSqliteStore } from './sqlite/store.js';

/** Whether a database is there yet. @throws {StorageError} when something else stands in its place. */
export function databaseExists(url: string): boolean {
  return checkFile(resolveDatabasePath(url));
}

/** A look at a database beside its writer, without the writer's lock. */
type DatabaseView = {
  path: string;
  /** What is wrong with the file; empty when it is sound. Reads all of it. */
  integrity(): string[];
  /** Migrations still to be applied. @throws {StorageError} when the schema is from the future or was edited. */
  pendingMigrations(): number;
  close(): void;
};

/**
 * Opens the database of a `DATABASE_URL` for diagnosis.
 * @throws {StorageError} when there is none, or it cannot be read.
 */
export function openReadOnly(url: string): DatabaseView {
  const path = resolveDatabasePath(url);
  if (!checkFile(path)) throw new StorageError('empty-database', 'There is no database yet; start Keepsake once.');
  const client = said(() => connectReadOnly(path));
  return {
    path,
    integrity: () => said(() => integrityErrors(client)),
    pendingMigrations: () =>
      said(() => pendingMigrations(appliedMigrations(client), shippedMigrations(MIGRATIONS)).length),
    close: () => void client.close(),
  };
}

function said<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStorageError(error);
  }
}

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
  const path = resolveDatabasePath(url);
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

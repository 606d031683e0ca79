import { StorageError } from '../conversation/errors.js';
import type { Store } from '../conversation/store.js';
import { type Client, connectReadOnly, toStorageError } from './sqlite/connection.js';
import { databaseFileExists, integrityErrors, resolveDatabasePath } from './sqlite/database-file.js';
import { appliedMigrations, MIGRATIONS_FOLDER, pendingMigrations, shippedMigrations } from './sqlite/migrate.js';
import { createSqliteStore } from './sqlite/store.js';

/** Tells whether a database exists. @throws {StorageError} when something else stands in its place. */
export function databaseExists(url: string): boolean {
  return databaseFileExists(resolveDatabasePath(url));
}

/** A database opened for diagnosis beside its writer, without the writer's lock. */
type DatabaseView = {
  path: string;
  /** Lists what is wrong with the file; empty when it is sound. Reads the whole file. */
  integrity(): string[];
  /** Counts the migrations to be applied. @throws {StorageError} when the schema is from the future or was edited. */
  pendingMigrations(): number;
  close(): void;
};

/**
 * Opens the database of a `DATABASE_URL` for diagnosis.
 * @throws {StorageError} when there is none, or it cannot be read.
 */
export function openForDiagnosis(url: string): DatabaseView {
  const path = existingPath(url);
  const client = mapErrors(() => connectReadOnly(path));
  return {
    path,
    integrity: () => mapErrors(() => integrityErrors(client)),
    pendingMigrations: () => mapErrors(() => countPendingMigrations(client)),
    close: () => void client.close(),
  };
}

/** The part of a store that an export reads. */
export type Reader = Pick<
  Store,
  'findSession' | 'listSessions' | 'loadSpan' | 'sessionFacts' | 'loadSettings' | 'close'
>;

/**
 * Opens a store for reading beside its writer.
 * @throws {StorageError} when there is none, or its schema is not this program's.
 */
export function openReadOnlyStore(url: string): Reader {
  const path = existingPath(url);
  return mapErrors(() => {
    const client = connectReadOnly(path);
    try {
      if (countPendingMigrations(client) > 0) {
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
  });
}

function existingPath(url: string): string {
  const path = resolveDatabasePath(url);
  if (!databaseFileExists(path))
    throw new StorageError('empty-database', 'There is no database yet; start Keepsake once.');
  return path;
}

function countPendingMigrations(client: Client): number {
  return pendingMigrations(appliedMigrations(client), shippedMigrations(MIGRATIONS_FOLDER)).length;
}

function mapErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStorageError(error);
  }
}

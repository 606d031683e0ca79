import { StorageError } from '../conversation/errors.js';
import { copyDatabase } from './sqlite/copies.js';
import { faultsOf } from './sqlite/counts.js';
import { connectReadOnly } from './sqlite/database.js';
import { toStorageError } from './sqlite/failure.js';
import { appliedMigrations, MIGRATIONS, pendingMigrations, shippedMigrations } from './sqlite/journal.js';
import { locate } from './sqlite/location.js';
import { checkFile } from './sqlite/precheck.js';

/** Whether a database is there yet. @throws {StorageError} when something else stands in its place. */
export function databaseExists(url: string): boolean {
  return checkFile(locate(url));
}

/** A look at a database beside its writer, without the writer's lock. */
export type DatabaseView = {
  path: string;
  /** Writes a compact, consistent copy to a new file. @throws {StorageError} and leaves no half copy. */
  copyTo(target: string): void;
  /** What is wrong with the file; empty when it is sound. Reads all of it. */
  integrity(): string[];
  /** Migrations still to be applied. @throws {StorageError} when the schema is from the future or was edited. */
  pendingMigrations(): number;
  close(): void;
};

/**
 * Opens the database of a `DATABASE_URL` for backup and diagnosis.
 * @throws {StorageError} when there is none, or it cannot be read.
 */
export function openReadOnly(url: string): DatabaseView {
  const path = locate(url);
  if (!checkFile(path)) throw new StorageError('empty-database', 'There is no database yet; start Keepsake once.');
  const client = said(() => connectReadOnly(path));
  return {
    path,
    copyTo: (target) => said(() => copyDatabase(client, target)),
    integrity: () => said(() => faultsOf(client)),
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

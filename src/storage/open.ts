import type { Clock } from '../conversation/clock.js';
import type { Store } from '../conversation/whole-store.js';
import { dropOldCopies } from './sqlite/copies.js';
import { createDatabase } from './sqlite/create.js';
import { type ConnectionOptions, connect } from './sqlite/database.js';
import { openExisting } from './sqlite/existing.js';
import { toStorageError } from './sqlite/failure.js';
import { MIGRATIONS } from './sqlite/journal.js';
import { IN_MEMORY, locate } from './sqlite/location.js';
import { lockForWriting } from './sqlite/lock.js';
import { bringUpToDate } from './sqlite/migrate.js';
import { checkFile, checkWritable, makeFolder } from './sqlite/precheck.js';
import { createSqliteStore } from './sqlite/store.js';

/** How a store is opened; what is left out has a sensible default. */
export type StoreOptions = {
  /** `FULL` (default) survives a power cut; `NORMAL` may lose the last turns then, but never the file. */
  synchronous?: 'FULL' | 'NORMAL';
  /** Milliseconds to wait for a program that holds the file for a moment; 5,000 by default. */
  busyTimeout?: number;
  /** Ceiling of the file in pages of 4 KiB; beyond it the disk counts as full. */
  maxPages?: number;
  /** Where the migrations lie; those that ship with the program by default. */
  migrationsFolder?: string;
  /** Names the copies that are made before a migration. */
  clock?: Clock;
  /** Days for which these copies stay, 30 by default; of the newest two, never more. */
  copiesForDays?: number;
};

/**
 * Opens the store of a `DATABASE_URL` (a path, a `file:` URL, or `:memory:`) as its one writer, making or migrating it.
 * @throws {StorageError} with a sentence that names the mend; the database was not touched then.
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const { migrationsFolder = MIGRATIONS } = options;
  const path = locate(url);
  try {
    return path === IN_MEMORY ? openInMemory(options, migrationsFolder) : openFile(path, options, migrationsFolder);
  } catch (error) {
    throw toStorageError(error);
  }
}

/** The file that a `DATABASE_URL` means, or `:memory:`. @throws {StorageError} when it means none. */
export function databasePath(url: string): string {
  return locate(url);
}

/** Deletes the copies of a database that were made before a migration more than a number of days ago. */
export function dropExpiredCopies(url: string, days: number, now: number): void {
  const path = locate(url);
  if (path !== IN_MEMORY) dropOldCopies(path, days, now);
}

function openInMemory(options: StoreOptions, migrations: string): Store {
  const client = connect(IN_MEMORY, connectionOptions(options));
  bringUpToDate(client, migrations, { copy() {}, putBack() {} });
  return createSqliteStore(client, () => {});
}

function openFile(path: string, options: StoreOptions, migrations: string): Store {
  const { clock = Date.now, copiesForDays = 30 } = options;
  makeFolder(path);
  checkFile(path);
  checkWritable(path);
  const lock = lockForWriting(path);
  try {
    const connection = connectionOptions(options);
    if (!checkFile(path)) createDatabase(path, connection, migrations);
    return createSqliteStore(openExisting(path, connection, migrations, { clock, copiesForDays }), lock.release);
  } catch (error) {
    lock.release();
    throw error;
  }
}

function connectionOptions({ synchronous = 'FULL', busyTimeout = 5_000, maxPages }: StoreOptions): ConnectionOptions {
  return { synchronous, busyTimeout, ...(maxPages === undefined ? {} : { maxPages }) };
}

import { chmodSync, closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../conversation/clock.js';
import type { Store } from '../conversation/store.js';
import { type Client, type ConnectionOptions, connect, toStorageError } from './sqlite/connection.js';
import {
  automaticCopyPath,
  checkFile,
  checkWritable,
  copyDatabase,
  deleteOldCopies,
  fsyncPath,
  IN_MEMORY,
  lockForWriting,
  makeDatabaseFolder,
  resolveDatabasePath,
} from './sqlite/database-file.js';
import { MIGRATIONS, type MigrationSafety, migrateDatabase, NO_SAFETY } from './sqlite/migrate.js';
import { createSqliteStore } from './sqlite/store.js';

/**
 * Makes a new database, readable by its owner only. It gets its name when it is complete, so that an empty file under
 * that name is never one of ours.
 */
export function createDatabase(path: string, options: ConnectionOptions, migrations: string): void {
  const fresh = `${path}.new`;
  for (const rest of ['', '-wal', '-shm', '-journal']) rmSync(fresh + rest, { force: true });
  closeSync(openSync(fresh, 'wx', 0o600));
  const client = connect(fresh, options);
  try {
    migrateDatabase(client, migrations, NO_SAFETY);
  } finally {
    client.close();
  }
  renameSync(fresh, path);
  fsyncPath(dirname(path));
}

/** How the copies that are made before a migration are named, and how many days they stay. */
export type CopyOptions = { clock: Clock; copiesForDays: number };

/** Opens a database that exists, brought to this program's schema. @throws as `bringUpToDate` does. */
export function openExisting(
  path: string,
  options: ConnectionOptions,
  migrations: string,
  { clock, copiesForDays }: CopyOptions,
): Client {
  tighten(path);
  const client = connect(path, options);
  try {
    migrateDatabase(client, migrations, safetyOf(path, client, clock()));
    deleteOldCopies(path, copiesForDays, clock());
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

function safetyOf(path: string, client: Client, at: number): MigrationSafety {
  const copy = automaticCopyPath(path, at);
  return {
    copy() {
      copyDatabase(client, copy);
    },
    restoreCopy() {
      client.close();
      for (const rest of ['-wal', '-shm']) rmSync(path + rest, { force: true });
      renameSync(copy, path);
    },
  };
}

/** Takes other users' access away from a file that was put here with it. */
function tighten(path: string): void {
  for (const rest of ['', '-wal', '-shm']) {
    try {
      chmodSync(path + rest, 0o600);
    } catch {
      // Absent, or another user's file that is shared with us on purpose.
    }
  }
}

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
  const path = resolveDatabasePath(url);
  try {
    return path === IN_MEMORY ? openInMemory(options, migrationsFolder) : openFile(path, options, migrationsFolder);
  } catch (error) {
    throw toStorageError(error);
  }
}

/** The file that a `DATABASE_URL` means, or `:memory:`. @throws {StorageError} when it means none. */
export function databasePath(url: string): string {
  return resolveDatabasePath(url);
}

/** Deletes the copies of a database that were made before a migration more than a number of days ago. */
export function deleteExpiredCopies(url: string, days: number, now: number): void {
  const path = resolveDatabasePath(url);
  if (path !== IN_MEMORY) deleteOldCopies(path, days, now);
}

function openInMemory(options: StoreOptions, migrations: string): Store {
  const client = connect(IN_MEMORY, connectionOptions(options));
  migrateDatabase(client, migrations, NO_SAFETY);
  return createSqliteStore(client, () => {});
}

function openFile(path: string, options: StoreOptions, migrations: string): Store {
  const { clock = Date.now, copiesForDays = 30 } = options;
  makeDatabaseFolder(path);
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

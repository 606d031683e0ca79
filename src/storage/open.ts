import { chmodSync, closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../conversation/clock.js';
import type { Store } from '../conversation/store.js';
import { type Client, type ConnectionOptions, connect, toStorageError } from './sqlite/connection.js';
import {
  checkWritable,
  copyDatabase,
  databaseFileExists,
  deleteOldCopies,
  fsyncPath,
  IN_MEMORY,
  lockForWriting,
  makeDatabaseFolder,
  preMigrationCopyPath,
  resolveDatabasePath,
} from './sqlite/database-file.js';
import { MIGRATIONS_FOLDER, migrateDatabase, NO_PRE_MIGRATION_COPY, type PreMigrationCopy } from './sqlite/migrate.js';
import { createSqliteStore } from './sqlite/store.js';

/** How a store is opened; everything has a default. */
export type StoreOptions = {
  /** `FULL` (default) survives a power cut; `NORMAL` may lose the last turns then, but never the file. */
  synchronous?: 'FULL' | 'NORMAL';
  /** Milliseconds to wait for another program that holds the file; 5,000 by default. */
  busyTimeout?: number;
  /** Ceiling of the file in pages of 4 KiB; beyond it the disk counts as full. */
  maxPages?: number;
  /** The folder of the migrations; that of this program by default. */
  migrationsFolder?: string;
  /** Names the copies that are made before a migration. */
  clock?: Clock;
  /** Days for which these copies stay, 30 by default; never more than the newest two. */
  copiesForDays?: number;
};

/**
 * Opens the store of a `DATABASE_URL` (a path, a `file:` URL, or `:memory:`) as its one writer; creates or migrates the
 * database if need be.
 * @throws {StorageError} with a sentence that names the mend; the database is unchanged then.
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const path = resolveDatabasePath(url);
  try {
    return path === IN_MEMORY ? openInMemory(options) : openFile(path, options);
  } catch (error) {
    throw toStorageError(error);
  }
}

/** Resolves a `DATABASE_URL` to the path of its file, or `:memory:`. @throws {StorageError} when it names no file. */
export function databasePath(url: string): string {
  return resolveDatabasePath(url);
}

/** Deletes the copies of a database that were made before a migration more than a number of days ago. */
export function dropExpiredCopies(url: string, days: number, now: number): void {
  const path = resolveDatabasePath(url);
  if (path !== IN_MEMORY) deleteOldCopies(path, days, now);
}

function openInMemory(options: StoreOptions): Store {
  const client = connect(IN_MEMORY, connectionOptions(options));
  migrateDatabase(client, options.migrationsFolder ?? MIGRATIONS_FOLDER, NO_PRE_MIGRATION_COPY);
  return createSqliteStore(client, () => {});
}

function openFile(path: string, options: StoreOptions): Store {
  makeDatabaseFolder(path);
  databaseFileExists(path);
  checkWritable(path);
  const lock = lockForWriting(path);
  try {
    if (!databaseFileExists(path)) createDatabase(path, options);
    return createSqliteStore(openDatabase(path, options), lock.release);
  } catch (error) {
    lock.release();
    throw error;
  }
}

function connectionOptions({ synchronous = 'FULL', busyTimeout = 5_000, maxPages }: StoreOptions): ConnectionOptions {
  return { synchronous, busyTimeout, ...(maxPages === undefined ? {} : { maxPages }) };
}

/**
 * Makes a new database, readable by its owner only. It gets its name when it is complete, so that an empty file under that
 * name is never one of ours.
 */
function createDatabase(path: string, options: StoreOptions): void {
  const fresh = `${path}.new`;
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(fresh + suffix, { force: true });
  closeSync(openSync(fresh, 'wx', 0o600));
  const client = connect(fresh, connectionOptions(options));
  try {
    migrateDatabase(client, options.migrationsFolder ?? MIGRATIONS_FOLDER, NO_PRE_MIGRATION_COPY);
  } finally {
    client.close();
  }
  renameSync(fresh, path);
  fsyncPath(dirname(path));
}

/** Connects to a database that exists, and migrates it. */
function openDatabase(path: string, options: StoreOptions): Client {
  const { migrationsFolder = MIGRATIONS_FOLDER, clock = Date.now, copiesForDays = 30 } = options;
  restrictAccess(path);
  const client = connect(path, connectionOptions(options));
  try {
    migrateDatabase(client, migrationsFolder, copyBeforeMigration(path, client, clock()));
    deleteOldCopies(path, copiesForDays, clock());
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

function copyBeforeMigration(path: string, client: Client, at: number): PreMigrationCopy {
  const copy = preMigrationCopyPath(path, at);
  return {
    copy() {
      copyDatabase(client, copy);
    },
    restoreCopy() {
      client.close();
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
      renameSync(copy, path);
    },
  };
}

/** Takes other users' access away from a database that was put here with it. */
function restrictAccess(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) {
    try {
      chmodSync(path + suffix, 0o600);
    } catch {
      // Absent, or another user's file that is shared with us on purpose.
    }
  }
}

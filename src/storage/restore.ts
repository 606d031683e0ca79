import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { StorageError, type StorageErrorCode } from '../conversation/errors.js';
import { type Client, connect, connectReadOnly, toStorageError } from './sqlite/connection.js';
import {
  checkWritable,
  copyDatabase,
  countRows,
  databaseFileExists,
  fileTimestamp,
  fsyncPath,
  IN_MEMORY,
  integrityErrors,
  lockForWriting,
  makeDatabaseFolder,
  type RowCounts,
  resolveDatabasePath,
} from './sqlite/database-file.js';
import {
  appliedMigrations,
  MIGRATIONS_FOLDER,
  migrateDatabase,
  NO_PRE_MIGRATION_COPY,
  pendingMigrations,
  shippedMigrations,
} from './sqlite/migrate.js';
import { type CarriedOver, carryOver, endPendingTurns } from './sqlite/restore-merge.js';

/** The result of a restore: `oldFile` is the path of the replaced database; `carriedOver` is null when it could not be read. */
type Restored = { rows: RowCounts; oldFile: string | null; carriedOver: CarriedOver | null };

/** Options of a restore. `force` replaces a database that exists; `retentionDays` says how long tombstones last. */
export type RestoreOptions = { force: boolean; retentionDays: number; now: number };

const CONNECTION = { synchronous: 'FULL', busyTimeout: 5_000 } as const;

/**
 * Puts a backup in the place of a database, as its one writer. The old file is kept under a dated name, and what was
 * erased, edited, forgotten or opted out in it since the backup stays so.
 * @throws {StorageError} when the backup is not sound or not ours, a database exists and `force` is not given, or a newer
 * program made it; the database is as it was then.
 */
export function restore(url: string, backup: string, options: RestoreOptions): Restored {
  const path = resolveDatabasePath(url);
  if (path === IN_MEMORY) throw new StorageError('storage', 'DATABASE_URL is in memory; set it to the path of a file.');
  if (!existsSync(backup)) throw new StorageError('no-folder', 'The backup does not exist; check its path.');
  makeDatabaseFolder(path);
  checkWritable(path);
  const lock = lockForWriting(path);
  const work = `${path}.restoring`;
  const oldCopy = `${path}.restoring-old`;
  try {
    const exists = existsSync(path);
    if (exists && !options.force) {
      throw new StorageError(
        'storage',
        'A database exists; give --force to replace it, it is kept under another name.',
      );
    }
    if (resolve(backup) === path) throw new StorageError('storage', 'This file is the database itself; name a backup.');
    for (const file of [work, oldCopy]) removeDatabase(file);
    copyBackup(resolve(backup), work);
    const readable = exists && copyOld(path, oldCopy);
    const merged = merge(work, readable ? oldCopy : null, options);
    const oldFile = exists ? keepUnderDatedName(path, options.now) : null;
    renameSync(work, path);
    fsyncPath(dirname(path));
    return { ...merged, oldFile };
  } catch (error) {
    throw toStorageError(error);
  } finally {
    for (const file of [work, oldCopy]) removeDatabase(file);
    lock.release();
  }
}

function copyBackup(backup: string, target: string): void {
  databaseFileExists(backup);
  const client = connectReadOnly(backup);
  try {
    checkMigrations(client);
    checkIntact(client);
    copyMigrated(client, target);
  } finally {
    client.close();
  }
}

/** Errors of the old database that refuse the restore; all others count as damage. */
const REFUSED: readonly StorageErrorCode[] = ['schema-from-future', 'schema-edited', 'locked'];

/**
 * Copies the database that is to be replaced, which stays as it is; false when it cannot be read. Damaged indexes are built
 * anew, since they hide rows that are still there.
 */
function copyOld(path: string, target: string): boolean {
  try {
    databaseFileExists(path);
    copyFiles(path, target);
    const copy = connect(target, CONNECTION);
    try {
      checkMigrations(copy);
      if (integrityErrors(copy).length > 0) {
        rebuildIndexes(copy);
        checkIntact(copy);
      }
      migrateDatabase(copy, MIGRATIONS_FOLDER, NO_PRE_MIGRATION_COPY);
    } finally {
      copy.close();
    }
    return true;
  } catch (error) {
    if (REFUSED.includes(toStorageError(error).code)) throw error;
    removeDatabase(target);
    return false;
  }
}

/** Makes the indexes anew from the tables without reading the old ones, of which a damaged one can be neither rebuilt nor dropped. */
function rebuildIndexes(client: Client): void {
  const indexes = "type = 'index' AND sql IS NOT NULL";
  const statements = client.prepare<[], string>(`SELECT sql FROM sqlite_schema WHERE ${indexes}`).pluck().all();
  client.unsafeMode(true);
  client.pragma('writable_schema = ON');
  client.exec(`DELETE FROM sqlite_schema WHERE ${indexes}`);
  client.pragma('writable_schema = RESET');
  client.unsafeMode(false);
  for (const statement of statements) client.exec(statement);
  // The pages of the old indexes belong to nothing any more.
  client.exec('VACUUM');
}

/** Copies a database and its write-ahead log byte by byte, while nothing can write to them. */
function copyFiles(path: string, target: string): void {
  // Not opened read-only, since that would leave the files of the write-ahead log behind.
  const client = new Sqlite(path, { fileMustExist: true, timeout: CONNECTION.busyTimeout });
  try {
    client.exec('BEGIN IMMEDIATE');
    copyFileSync(path, target);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${target}-wal`);
  } finally {
    client.close();
  }
}

/** @throws {StorageError} when a database is damaged. */
function checkIntact(client: Client): void {
  const [fault] = integrityErrors(client);
  if (fault !== undefined) throw new StorageError('corrupt', 'The backup is damaged; restore another one.');
}

/** @throws {StorageError} when a database was not made by this program or an older one. */
function checkMigrations(client: Client): void {
  const applied = appliedMigrations(client);
  pendingMigrations(applied, shippedMigrations(MIGRATIONS_FOLDER));
  if (applied.length === 0) {
    throw new StorageError('not-a-database', 'The backup holds nothing of Keepsake; restore another one.');
  }
}

function copyMigrated(client: Client, target: string): void {
  copyDatabase(client, target);
  const copy = connect(target, CONNECTION);
  try {
    migrateDatabase(copy, MIGRATIONS_FOLDER, NO_PRE_MIGRATION_COPY);
  } finally {
    copy.close();
  }
}

/** Completes the restored database with what the copy of the old one tells of the time since the backup. */
function merge(
  work: string,
  oldCopy: string | null,
  { retentionDays, now }: RestoreOptions,
): Omit<Restored, 'oldFile'> {
  const client = connect(work, CONNECTION);
  try {
    if (oldCopy !== null) client.prepare('ATTACH ? AS old').run(oldCopy);
    const complete = client.transaction(() => {
      const carriedOver = oldCopy === null ? null : carryOver(client, retentionDays, now);
      endPendingTurns(client);
      return carriedOver;
    });
    return { carriedOver: complete.immediate(), rows: countRows(client) };
  } finally {
    client.close();
  }
}

/** Links the old database to a dated name; its own stays until the new one replaces it. */
function keepUnderDatedName(path: string, now: number): string {
  const datedPath = `${path}.replaced-${fileTimestamp(now)}`;
  for (const suffix of ['-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, datedPath + suffix);
  try {
    linkSync(path, datedPath);
  } catch {
    // Not every file system supports links.
    renameSync(path, datedPath);
  }
  return datedPath;
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal', '.part']) rmSync(file + suffix, { force: true });
}

import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StorageError } from '../conversation/errors.js';
import { type Client, connect, connectReadOnly, toStorageError } from './sqlite/connection.js';
import {
  checkFile,
  checkWritable,
  copyDatabase,
  countRows,
  fileTimestamp,
  fsyncPath,
  IN_MEMORY,
  integrityErrors,
  lockForWriting,
  makeDatabaseFolder,
  type RowCounts,
  resolveDatabasePath,
  tablesOf,
} from './sqlite/database-file.js';
import {
  appliedMigrations,
  MIGRATIONS,
  migrateDatabase,
  pendingMigrations,
  shippedMigrations,
} from './sqlite/migrate.js';
import { type CarriedOver, compareLines, copyGuards, mergeIntoRestored, startLineage } from './sqlite/restore-merge.js';
import { prepareStatements } from './sqlite/statements.js';

/** What a restore did: `kept` is where the old database lies now; `carried` is null when it could not be read. */
type Restored = { rows: RowCounts; kept: string | null; carried: CarriedOver | null };

/** How to restore. `force` replaces a database that exists; `retentionDays` says how long tombstones last. */
export type RestoreOptions = { force: boolean; retentionDays: number; now: number };

const CONNECTION = { synchronous: 'FULL', busyTimeout: 5_000 } as const;

/**
 * Puts a backup in the place of a database, as its one writer. The old file is kept under a dated name, and what was
 * erased, edited or forgotten in it since the backup does not come back.
 * @throws {StorageError} when the backup is not sound or not ours, or a database exists and `force` is not given; the
 * database is as it was then.
 */
export function restore(url: string, backup: string, options: RestoreOptions): Restored {
  const path = resolveDatabasePath(url);
  if (path === IN_MEMORY) throw new StorageError('storage', 'DATABASE_URL is in memory; set it to the path of a file.');
  if (!existsSync(backup)) throw new StorageError('no-folder', 'The backup does not exist; check its path.');
  makeDatabaseFolder(path);
  checkWritable(path);
  const lock = lockForWriting(path);
  const work = `${path}.restoring`;
  try {
    const exists = existsSync(path);
    if (exists && !options.force) {
      throw new StorageError(
        'storage',
        'A database exists; give --force to replace it, it is kept under another name.',
      );
    }
    if (resolve(backup) === path) throw new StorageError('storage', 'This file is the database itself; name a backup.');
    discard(work);
    takeBackup(resolve(backup), work);
    const carried = rework(work, exists ? path : null, options);
    const kept = exists ? putAside(path, options.now) : null;
    renameSync(work, path);
    fsyncPath(dirname(path));
    return { ...carried, kept };
  } catch (error) {
    throw toStorageError(error);
  } finally {
    discard(work);
    lock.release();
  }
}

/** Copies a backup next to the database once it was found sound and made by this program or an older one. */
function takeBackup(backup: string, work: string): void {
  checkFile(backup);
  const client = connectReadOnly(backup);
  try {
    pendingMigrations(appliedMigrations(client), shippedMigrations(MIGRATIONS));
    const [fault] = integrityErrors(client);
    if (fault !== undefined) throw new StorageError('corrupt', 'The backup is damaged; restore another one.');
    if (appliedMigrations(client).length === 0) {
      throw new StorageError('not-a-database', 'The backup holds nothing of Keepsake; restore another one.');
    }
    copyDatabase(client, work);
  } finally {
    client.close();
  }
}

function rework(work: string, old: string | null, options: RestoreOptions): Omit<Restored, 'kept'> {
  const client = connect(work, CONNECTION);
  try {
    migrateDatabase(client, MIGRATIONS, { copy() {}, restoreCopy() {} });
    const carried = old === null ? null : carryOverFrom(client, old, options);
    client.transaction(() => startLineage(client)).immediate();
    return { rows: countRows(client), carried };
  } finally {
    client.close();
  }
}

/** Null when the old database cannot be read any more, which is what backups are for. */
function carryOverFrom(client: Client, old: string, { retentionDays, now }: RestoreOptions): CarriedOver | null {
  const sound = attach(client, old);
  if (sound === null) return null;
  const parts = prepareStatements(client);
  const apply = client.transaction(() => {
    const lineage = compareLines(client, sound, retentionDays, now);
    const result = mergeIntoRestored(client, parts, lineage, now);
    copyGuards(client, lineage);
    return result;
  });
  try {
    return apply.immediate();
  } catch (error) {
    if (sound) throw error;
    return null;
  } finally {
    client.exec('DETACH old');
  }
}

/** Attaches the old database and says whether it is sound; null when it holds nothing that could be read. */
function attach(client: Client, old: string): boolean | null {
  try {
    client.prepare('ATTACH ? AS old').run(old);
    const tables = tablesOf(client, 'old');
    if (['sessions', 'messages', 'tombstones'].every((table) => tables.includes(table))) {
      return client.pragma('old.quick_check', { simple: true }) === 'ok';
    }
    client.exec('DETACH old');
  } catch {
    // Left attached at worst; nothing of it is asked again.
  }
  return null;
}

/** Gives the old database a dated name; its own stays until the new one takes it. */
function putAside(path: string, now: number): string {
  const kept = `${path}.replaced-${fileTimestamp(now)}`;
  for (const rest of ['-wal', '-shm']) if (existsSync(path + rest)) renameSync(path + rest, kept + rest);
  try {
    linkSync(path, kept);
  } catch {
    // Not every file system knows links.
    renameSync(path, kept);
  }
  return kept;
}

function discard(file: string): void {
  for (const rest of ['', '-wal', '-shm', '-journal', '.part']) rmSync(file + rest, { force: true });
}

import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StorageError } from '../conversation/errors.js';
import { type Client, connectReadOnly, toStorageError } from './sqlite/connection.js';
import {
  copyDatabase,
  countRows,
  databaseFileExists,
  fileTimestamp,
  integrityErrors,
  makeFolders,
  type RowCounts,
  resolveDatabasePath,
} from './sqlite/database-file.js';

/** A complete copy: its path, its size in bytes, and its rows by table. */
type Backup = { file: string; bytes: number; rows: RowCounts };

/** A write between the two reads that are compared makes them differ, so the copy is tried again this often. */
const TRIES = 5;

/**
 * Copies a database beside its running writer into a new file of a folder (`backups` beside the database by default), and
 * checks that the copy is sound and holds as many rows as the database did at that moment.
 * @throws {StorageError} when the copy cannot be made or is incomplete; none is left then.
 */
export function backUp(url: string, folder: string | undefined, now: number): Backup {
  const path = resolveDatabasePath(url);
  if (!databaseFileExists(path))
    throw new StorageError('empty-database', 'There is no database yet; start Keepsake once.');
  const target = join(resolve(folder ?? join(dirname(path), 'backups')), `keepsake-${fileTimestamp(now)}.db`);
  if (existsSync(target)) {
    throw new StorageError('storage', 'A backup of this very moment exists already; try again.');
  }
  try {
    makeFolders(dirname(target));
  } catch (cause) {
    throw new StorageError('no-folder', 'The folder for backups cannot be made; choose another one.', { cause });
  }
  try {
    const rows = copyUntilComplete(path, target);
    return { file: target, bytes: statSync(target).size, rows };
  } catch (error) {
    rmSync(target, { force: true });
    throw toStorageError(error);
  }
}

function copyUntilComplete(path: string, target: string): RowCounts {
  for (let left = TRIES; left > 0; left -= 1) {
    const expected = copyAndCount(path, target);
    const copied = countSoundCopy(target);
    if (JSON.stringify(copied) === JSON.stringify(expected)) return copied;
    rmSync(target);
  }
  throw new StorageError('storage', 'The copy never held as many rows as the database; try when there is less to do.');
}

/** Opens a read transaction just before the copy begins, so that both see the database at the same moment. */
function copyAndCount(path: string, target: string): RowCounts {
  const snapshot = connectReadOnly(path);
  const copier = connectReadOnly(path);
  try {
    snapshot.exec('BEGIN');
    snapshot.prepare('SELECT count(*) FROM sqlite_schema').get();
    copyDatabase(copier, target);
    return countRows(snapshot);
  } finally {
    copier.close();
    snapshot.close();
  }
}

/** Counts the rows of a copy. @throws {StorageError} `corrupt` when it is not sound. */
function countSoundCopy(target: string): RowCounts {
  const copy: Client = connectReadOnly(target);
  try {
    const [fault] = integrityErrors(copy);
    if (fault === undefined) return countRows(copy);
    throw new StorageError('corrupt', 'The copy is damaged, as the database may be; check the disk, then try again.');
  } finally {
    copy.close();
  }
}

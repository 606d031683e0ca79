import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StorageError } from '../conversation/errors.js';
import { type Client, connectReadOnly, toStorageError } from './sqlite/connection.js';
import {
  checkFile,
  copyDatabase,
  countRows,
  fileTimestamp,
  integrityErrors,
  makeFolders,
  type RowCounts,
  resolveDatabasePath,
} from './sqlite/database-file.js';

/** A copy that was made and found whole: where it lies, its size in bytes, and its rows by table. */
type Backup = { file: string; bytes: number; rows: RowCounts };

/** A write that falls into the moment between two readings makes them differ; so often it is tried again. */
const TRIES = 5;

/**
 * Copies a database beside its running writer into a new file of a folder (`backups` beside the database by default),
 * and checks the copy: it is sound, and holds as many rows as the database did at that moment.
 * @throws {StorageError} when the copy cannot be made or is not whole; none is left then.
 */
export function backUp(url: string, folder: string | undefined, now: number): Backup {
  const path = resolveDatabasePath(url);
  if (!checkFile(path)) throw new StorageError('empty-database', 'There is no database yet; start Keepsake once.');
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
    const rows = copyWhole(path, target);
    return { file: target, bytes: statSync(target).size, rows };
  } catch (error) {
    rmSync(target, { force: true });
    throw toStorageError(error);
  }
}

function copyWhole(path: string, target: string): RowCounts {
  for (let left = TRIES; left > 0; left -= 1) {
    const expected = copyAndCount(path, target);
    const copied = inspect(target);
    if (JSON.stringify(copied) === JSON.stringify(expected)) return copied;
    rmSync(target);
  }
  throw new StorageError('storage', 'The copy never held as many rows as the database; try when there is less to do.');
}

/** Holds a reading open from just before the copy is begun, so that both see the database of the same moment. */
function copyAndCount(path: string, target: string): RowCounts {
  const view = connectReadOnly(path);
  const copier = connectReadOnly(path);
  try {
    view.exec('BEGIN');
    view.prepare('SELECT count(*) FROM sqlite_schema').get();
    copyDatabase(copier, target);
    return countRows(view);
  } finally {
    copier.close();
    view.close();
  }
}

/** Reads all of a copy. @throws {StorageError} `corrupt` when it is not sound. */
function inspect(target: string): RowCounts {
  const copy: Client = connectReadOnly(target);
  try {
    const [fault] = integrityErrors(copy);
    if (fault === undefined) return countRows(copy);
    throw new StorageError('corrupt', 'The copy is damaged, as the database may be; check the disk, then try again.');
  } finally {
    copy.close();
  }
}

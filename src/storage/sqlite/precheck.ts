import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StorageError, type StorageErrorCode } from '../../conversation/errors.js';
import { makeFolders } from '../folder.js';

const HEADER = Buffer.from('SQLite format 3\0');

/** Makes the folder of a database, for its owner only. @throws {StorageError} `no-folder` when it cannot be made. */
export function makeFolder(path: string): void {
  try {
    makeFolders(dirname(path));
  } catch (cause) {
    refuse('no-folder', 'The folder of DATABASE_URL cannot be made; make it, or choose another path.', cause);
  }
}

/**
 * Looks at what stands at a path before anything opens it; true when a database is there, false when nothing is.
 * @throws {StorageError} when it is no database, an empty file, or cannot be written.
 */
export function checkFile(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) {
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return false;
    refuse('empty-database', 'The database is missing but its -wal file is there; put the database back beside it.');
  }
  if (!stat.isFile()) refuse('not-a-database', 'DATABASE_URL is not a file; set it to the path of a database.');
  if (stat.size === 0) {
    refuse('empty-database', 'The database file is empty; restore a backup, or delete it to begin without memories.');
  }
  if (!readHeader(path).equals(HEADER)) {
    refuse('not-a-database', 'The file at DATABASE_URL is no SQLite database; choose another path.');
  }
  return true;
}

/** @throws {StorageError} `read-only` when a database or its folder cannot be written. */
export function checkWritable(path: string): void {
  for (const target of [dirname(path), path].filter((name) => existsSync(name))) {
    try {
      accessSync(target, constants.W_OK);
    } catch (cause) {
      refuse('read-only', 'The database or its folder cannot be written; make both writable for this user.', cause);
    }
  }
}

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(HEADER.length);
  try {
    const file = openSync(path, 'r');
    readSync(file, header);
    closeSync(file);
  } catch (cause) {
    refuse('read-only', 'The database cannot be read; make it readable and writable for this user.', cause);
  }
  return header;
}

function refuse(code: StorageErrorCode, sentence: string, cause?: unknown): never {
  throw new StorageError(code, sentence, { cause });
}

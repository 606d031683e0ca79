import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { DAY_MS } from '../../conversation/clock.js';
import { StorageError, type StorageErrorCode } from '../../conversation/errors.js';
import { type Client, isBusy, toStorageError } from './connection.js';

/** The path of a database in memory, which ends with its connection. */
export const IN_MEMORY = ':memory:';

/**
 * Resolves a `DATABASE_URL` to an absolute path, or `:memory:`. It is a path or a `file:` URL, relative to the working
 * directory; links are followed, so that two names of one file share one lock.
 * @throws {StorageError} for any other kind of URL, which is not repeated since it may hold a password.
 */
export function resolveDatabasePath(url: string): string {
  const path = withoutScheme(url);
  if (path === IN_MEMORY) return path;
  if (path === '') throw new StorageError('no-folder', 'DATABASE_URL is empty; set it to the path of a file.');
  const full = resolve(path);
  return tryRealpath(full) ?? join(tryRealpath(dirname(full)) ?? dirname(full), basename(full));
}

function withoutScheme(url: string): string {
  if (url.startsWith('file://')) return fileURLToPath(url.replace(/[?#].*$/u, ''));
  if (url.startsWith('file:')) return decodeURIComponent(url.slice('file:'.length).replace(/[?#].*$/u, ''));
  if (/^[a-z][a-z+]+:\/\//iu.test(url)) {
    throw new StorageError('storage', 'DATABASE_URL names another kind of database; set it to the path of a file.');
  }
  return url;
}

function tryRealpath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/**
 * Makes a folder with its parents, for their owner only; one at a time, since Node's `recursive` never returns where the
 * system denies that a parent exists, as below /proc.
 * @throws {Error} of Node, when one of them cannot be made.
 */
export function makeFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(folder) !== folder) makeFolders(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

const HEADER = Buffer.from('SQLite format 3\0');

/** Makes the folder of a database, for its owner only. @throws {StorageError} `no-folder` when it cannot be made. */
export function makeDatabaseFolder(path: string): void {
  try {
    makeFolders(dirname(path));
  } catch (cause) {
    refuse('no-folder', 'The folder of DATABASE_URL cannot be made; make it, or choose another path.', cause);
  }
}

/**
 * Checks a path before anything opens it; true when a database is there, false when nothing is.
 * @throws {StorageError} when the file is no database, is empty, or cannot be read.
 */
export function databaseFileExists(path: string): boolean {
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

/** The exclusive right to write to a database; it ends with the process. */
type WriterLock = { release(): void };

/**
 * Takes the writer's lock of a database, a lock file beside it, without waiting.
 * @throws {StorageError} `locked` when another program holds it.
 */
export function lockForWriting(path: string): WriterLock {
  const file = `${path}.lock`;
  try {
    closeSync(openSync(file, 'a', 0o600));
    const client = new Sqlite(file, { timeout: 0 });
    try {
      client.exec('BEGIN EXCLUSIVE');
      return { release: () => void client.close() };
    } catch (error) {
      client.close();
      throw error;
    }
  } catch (error) {
    if (isBusy(error)) {
      throw new StorageError('locked', 'Another Keepsake uses this database; end it, or set another DATABASE_URL.', {
        cause: error,
      });
    }
    throw toStorageError(error);
  }
}

/** Flushes a file or folder to the disk, where its file system can do that. */
export function fsyncPath(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } catch {
    // Some file systems cannot flush a folder; a rename in it then becomes durable with the system's own flush.
  } finally {
    closeSync(handle);
  }
}

/** Formats a time (milliseconds since 1970) for a file name: `2026-11-30T06-43-29-000Z`. */
export function fileTimestamp(at: number): string {
  return new Date(at).toISOString().replace(/[:.]/gu, '-');
}

/** Copies a database into a new file that only its owner may read; a partial copy is never left under that name. */
export function copyDatabase(client: Client, target: string): void {
  const part = `${target}.part`;
  rmSync(part, { force: true });
  try {
    closeSync(openSync(part, 'wx', 0o600));
    client.prepare('VACUUM INTO ?').run(part);
    fsyncPath(part);
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** The path of a copy that is made before a migration, at a time in milliseconds since 1970. */
export function preMigrationCopyPath(path: string, at: number): string {
  return `${path}.copy-${fileTimestamp(at)}`;
}

/** Lists the automatic copies of a database, newest first. */
function listCopies(path: string): string[] {
  const prefix = `${basename(path)}.copy-`;
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(prefix) && name.endsWith('Z'));
  return names
    .sort()
    .reverse()
    .map((name) => join(dirname(path), name));
}

const MAX_COPIES = 2;

/**
 * Deletes the automatic copies of a database but the newest two, and those that are older than a number of days, since they
 * hold what was deleted meanwhile.
 */
export function deleteOldCopies(path: string, days: number, now: number): void {
  const oldest = preMigrationCopyPath(path, now - days * DAY_MS);
  for (const [i, copy] of listCopies(path).entries()) {
    if (i >= MAX_COPIES || copy < oldest) rmSync(copy, { force: true });
  }
}

/** The number of rows by table. */
export type RowCounts = Record<string, number>;

/** Counts the rows of all tables of a database; its cost grows with them. */
export function countRows(client: Client): RowCounts {
  return Object.fromEntries(
    tablesOf(client).map((table) => [
      table,
      Number(client.prepare(`SELECT count(*) FROM main."${table}"`).pluck().get()),
    ]),
  );
}

/** Lists the tables of a database by name, without SQLite's own. */
export function tablesOf(client: Client): string[] {
  const names = client
    .prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    .pluck()
    .all() as string[];
  return names.sort();
}

/** Lists what is wrong with a database file; empty when it is sound. It reads the whole file. */
export function integrityErrors(client: Client): string[] {
  try {
    const rows = client.pragma('integrity_check') as { integrity_check: string }[];
    return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
  } catch (error) {
    // Some damage makes the check itself fail.
    const { code, message } = toStorageError(error);
    if (code === 'corrupt') return [message];
    throw error;
  }
}

import Sqlite from 'better-sqlite3';
import { StorageError, type StorageErrorCode } from '../../conversation/errors.js';

const MENDS: readonly (readonly [prefix: string, code: StorageErrorCode, sentence: string])[] = [
  ['SQLITE_FULL', 'disk-full', 'The disk is full; free some space, then try again.'],
  ['SQLITE_CORRUPT', 'corrupt', 'The database is damaged; stop the program and restore a backup.'],
  ['SQLITE_NOTADB', 'corrupt', 'The database is damaged; stop the program and restore a backup.'],
  ['SQLITE_READONLY', 'read-only', 'The database cannot be written; make its file and its folder writable.'],
  ['SQLITE_BUSY', 'locked', 'Another program holds the database; end it, then try again.'],
  ['SQLITE_LOCKED', 'locked', 'Another program holds the database; end it, then try again.'],
  ['SQLITE_IOERR', 'storage', 'The disk failed to read or write; check it, then start again.'],
  [
    'SQLITE_CANTOPEN',
    'storage',
    'The database cannot be opened; check that its folder still exists and may be entered.',
  ],
];

/** Says in our words what the database said; its own error is the `cause`. */
export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const [, code, sentence] = MENDS.find(([prefix]) => sqliteCode(error).startsWith(prefix)) ?? [];
  return code === undefined || sentence === undefined
    ? new StorageError('storage', 'The database refused an operation; see the cause in the log.', { cause: error })
    : new StorageError(code, sentence, { cause: error });
}

/** True for errors of the medium itself, which no other operation of the same transaction survives. */
export function isMediumFailure(error: unknown): boolean {
  return MENDS.some(([prefix]) => sqliteCode(error).startsWith(prefix));
}

/** True when another program holds the file, so that trying again may help. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error).startsWith('SQLITE_BUSY');
}

/** SQLite's code of an error, or an empty string. */
function sqliteCode(error: unknown): string {
  return error instanceof Sqlite.SqliteError ? error.code : '';
}

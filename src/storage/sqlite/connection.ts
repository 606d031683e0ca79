import Sqlite from 'better-sqlite3';
import { type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { StorageError, type StorageErrorCode } from '../../conversation/errors.js';

/** The driver's connection. */
export type Client = Sqlite.Database;

/** The query builder over a connection. */
export type Database = BetterSQLite3Database;

/** How a connection behaves; `busyTimeout` is in milliseconds. */
export type ConnectionOptions = { synchronous: 'FULL' | 'NORMAL'; busyTimeout: number; maxPages?: number };

/**
 * Opens the one connection that writes: write-ahead log, erased text overwritten, foreign keys held.
 * @throws {SqliteError} when the file is missing or no database.
 */
export function connect(path: string, options: ConnectionOptions): Client {
  const client = new Sqlite(path, { fileMustExist: path !== ':memory:', timeout: options.busyTimeout });
  try {
    client.pragma('trusted_schema = OFF');
    client.pragma('secure_delete = ON');
    client.pragma('journal_mode = WAL');
    client.pragma(`synchronous = ${options.synchronous}`);
    client.pragma('foreign_keys = ON');
    if (options.maxPages !== undefined) client.pragma(`max_page_count = ${options.maxPages}`);
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

/** Opens a connection that reads beside a running writer. */
export function connectReadOnly(path: string): Client {
  return new Sqlite(path, { readonly: true, fileMustExist: true, timeout: 5_000 });
}

/** The query builder over a connection. */
export function queryBuilder(client: Client): Database {
  return drizzle({ client });
}

const ERRORS: readonly (readonly [prefix: string, code: StorageErrorCode, sentence: string])[] = [
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

/** Maps an error of the driver to one that names the mend; the driver's own is the `cause`. */
export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  if (isNativeModuleMissing(error)) return new StorageError('storage', NATIVE_MODULE_MISSING, { cause: error });
  const [, code, sentence] = ERRORS.find(([prefix]) => sqliteCode(error).startsWith(prefix)) ?? [];
  return code === undefined || sentence === undefined
    ? new StorageError('storage', 'The database refused an operation; see the cause in the log.', { cause: error })
    : new StorageError(code, sentence, { cause: error });
}

/** npm 12 runs no install script that was not approved; another version of Node needs another build. */
const NATIVE_MODULE_MISSING =
  'The native module of better-sqlite3 is not built for this Node.js; run npm rebuild better-sqlite3 (with npm 12 run ' +
  'npm install-scripts approve better-sqlite3 before it), then start again.';

function isNativeModuleMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.message.startsWith('Could not locate the bindings file') ||
    ('code' in error && error.code === 'ERR_DLOPEN_FAILED')
  );
}

/** Tells errors of the medium itself, after which no other write of the same transaction can be stored. */
export function isDatabaseFailure(error: unknown): boolean {
  return ERRORS.some(([prefix]) => sqliteCode(error).startsWith(prefix));
}

/** Tells whether another program holds the file, so that a retry may succeed. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error).startsWith('SQLITE_BUSY');
}

function sqliteCode(error: unknown): string {
  return error instanceof Sqlite.SqliteError ? error.code : '';
}

/** Compares a column with a list of any length within one statement; `list` is a placeholder or comes from `jsonList`. */
export function inList(column: SQLWrapper, list: unknown): SQL {
  return sql`${column} in (select value from json_each(${list}))`;
}

/** Encodes a list for `inList`. */
export function jsonList(values: readonly (string | number)[]): string {
  return JSON.stringify(values);
}

/**
 * Wraps a limit of a prepared statement in an expression. SQLite plans by the value of a bare parameter, and so plans anew at
 * each call, which takes as long as the query itself; it does not evaluate an expression for that.
 */
export function limitOf(rows: number | Placeholder): Placeholder {
  return sql`${rows} + 0` as unknown as Placeholder;
}

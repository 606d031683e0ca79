import Sqlite from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';

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

/** Opens a connection that only reads, beside a running writer. */
export function connectReadOnly(path: string): Client {
  return new Sqlite(path, { readonly: true, fileMustExist: true, timeout: 5_000 });
}

/** The query builder over a connection. */
export function builder(client: Client): Database {
  return drizzle({ client });
}

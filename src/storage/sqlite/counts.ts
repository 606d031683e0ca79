import type { Client } from './database.js';
import { toStorageError } from './failure.js';

/** How many rows each table of a database holds. */
export type RowCounts = Record<string, number>;

/** Counts all rows of a database, table by table; it reads all of it. `schema` names an attached database. */
export function countRows(client: Client, schema = 'main'): RowCounts {
  return Object.fromEntries(
    tablesOf(client, schema).map((table) => [
      table,
      Number(client.prepare(`SELECT count(*) FROM "${schema}"."${table}"`).pluck().get()),
    ]),
  );
}

/** The tables of a database, without SQLite's own, in order of their names. */
export function tablesOf(client: Client, schema = 'main'): string[] {
  const names = client
    .prepare(
      `SELECT name FROM "${schema}".sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    )
    .pluck()
    .all() as string[];
  return names.sort();
}

/** What is wrong with a database file; empty when it is sound. It reads all of it. */
export function faultsOf(client: Client): string[] {
  try {
    const rows = client.pragma('integrity_check') as { integrity_check: string }[];
    return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
  } catch (error) {
    // Some damage keeps the check itself from going on.
    const { code, message } = toStorageError(error);
    if (code === 'corrupt') return [message];
    throw error;
  }
}

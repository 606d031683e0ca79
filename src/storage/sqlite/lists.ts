import { type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** A condition on a list of any length within one statement; a placeholder or a value that `listed` made gives it. */
export function isAmong(column: SQLWrapper, list: unknown): SQL {
  return sql`${column} in (select value from json_each(${list}))`;
}

/** A list as `isAmong` takes it. */
export function listed(values: readonly (string | number)[]): string {
  return JSON.stringify(values);
}

/**
 * A limit for statements that are prepared once. SQLite plans by the value of a bare parameter and so plans anew at each
 * call, which takes as long as the reading itself; it does not look into an expression.
 */
export function limitOf(rows: number | Placeholder): Placeholder {
  return sql`${rows} + 0` as unknown as Placeholder;
}

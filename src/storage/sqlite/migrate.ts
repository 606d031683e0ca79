import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { StorageError } from '../../conversation/errors.js';
import { faultPoint } from '../../fault.js';
import { type Client, isDatabaseFailure, queryBuilder, toStorageError } from './connection.js';

/** The folder of the migrations that ship with this program; the same from `src/` and from `dist/`. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../migrations', import.meta.url));

/** Makes a copy of a database before its schema changes, and restores that when the migration broke it. */
export type PreMigrationCopy = { copy(): void; restoreCopy(): void };

/** For a database that has nothing to lose: a new one, or a copy. */
export const NO_PRE_MIGRATION_COPY: PreMigrationCopy = { copy() {}, restoreCopy() {} };

/**
 * Brings a database to the schema of this program.
 * @throws {StorageError} when the database does not fit, or a migration fails; it is then as it was before.
 */
export function migrateDatabase(client: Client, folder: string, safety: PreMigrationCopy): void {
  const applied = appliedMigrations(client);
  if (pendingMigrations(applied, shippedMigrations(folder)).length === 0) return;
  faultPoint('migrate:before');
  if (applied.length > 0) safety.copy();
  faultPoint('migrate:copied');
  // Rebuilding a table would delete its children with it; within the migrator's transaction this pragma has no effect.
  client.pragma('foreign_keys = OFF');
  try {
    migrate(queryBuilder(client), { migrationsFolder: folder });
  } catch (error) {
    throw isDatabaseFailure(error) ? toStorageError(error) : migrationFailed(error);
  } finally {
    client.pragma('foreign_keys = ON');
  }
  if ((client.pragma('foreign_key_check') as unknown[]).length === 0) return;
  safety.restoreCopy();
  throw migrationFailed(new Error('foreign_key_check found rows that point nowhere'));
}

function migrationFailed(cause: unknown): StorageError {
  const sentence = 'A migration failed, the database is unchanged; install the last version that worked.';
  return new StorageError('migration-failed', sentence, { cause });
}

/** One migration: the time that orders them (milliseconds since 1970), and the hash of its text. */
type Migration = { madeAt: number; hash: string };

type Journal = { entries: { tag: string; when: number }[] };

/** Reads the migrations of a folder, oldest first. */
export function shippedMigrations(folder: string): Migration[] {
  const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as Journal;
  return journal.entries.map(({ tag, when }) => {
    const text = readFileSync(join(folder, `${tag}.sql`), 'utf8');
    return { madeAt: when, hash: createHash('sha256').update(text).digest('hex') };
  });
}

/**
 * Reads the migrations that were applied to a database, oldest first.
 * @throws {StorageError} `not-a-database` when another program made it.
 */
export function appliedMigrations(client: Client): Migration[] {
  const tables = client.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  if (tables.includes('__drizzle_migrations')) {
    const rows = client.prepare<[], Migration>(
      'SELECT CAST(created_at AS INTEGER) AS madeAt, hash FROM __drizzle_migrations ORDER BY madeAt',
    );
    return rows.all();
  }
  if (tables.length === 0) return [];
  throw new StorageError('not-a-database', 'The database belongs to another program; choose another DATABASE_URL.');
}

/**
 * Returns the shipped migrations that are still to be applied.
 * @throws {StorageError} `schema-from-future` when a newer program made the database, `schema-edited` when an applied
 * migration was changed or removed since, or one was added before it.
 */
export function pendingMigrations(applied: readonly Migration[], shipped: readonly Migration[]): Migration[] {
  const newest = shipped.at(-1)?.madeAt ?? 0;
  if (applied.some(({ madeAt }) => madeAt > newest)) {
    throw new StorageError('schema-from-future', 'A newer Keepsake made this database; update this one.');
  }
  const same = applied.every(({ madeAt, hash }, i) => shipped[i]?.madeAt === madeAt && shipped[i].hash === hash);
  if (same) return shipped.slice(applied.length);
  throw new StorageError(
    'schema-edited',
    'The migrations differ from those that made this database; install Keepsake anew, unchanged.',
  );
}

import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { StorageError } from '../../conversation/errors.js';
import { faultPoint } from '../../fault.js';
import { builder, type Client } from './database.js';
import { isMediumFailure, toStorageError } from './failure.js';
import { appliedMigrations, pendingMigrations, shippedMigrations } from './journal.js';

/** How a database that holds anything is kept safe while its schema changes: copied first, put back when it broke. */
export type Safety = { copy(): void; putBack(): void };

/**
 * Brings a database to the schema of this program.
 * @throws {StorageError} when the database does not fit, or a migration fails; it is then as it was before.
 */
export function bringUpToDate(client: Client, folder: string, safety: Safety): void {
  const applied = appliedMigrations(client);
  if (pendingMigrations(applied, shippedMigrations(folder)).length === 0) return;
  faultPoint('migrate:before');
  if (applied.length > 0) safety.copy();
  faultPoint('migrate:copied');
  // A rebuilt table would take its children with it, and inside the migrator's transaction this switch does nothing.
  client.pragma('foreign_keys = OFF');
  try {
    migrate(builder(client), { migrationsFolder: folder });
  } catch (error) {
    throw isMediumFailure(error) ? toStorageError(error) : failed(error);
  } finally {
    client.pragma('foreign_keys = ON');
  }
  if ((client.pragma('foreign_key_check') as unknown[]).length === 0) return;
  safety.putBack();
  throw failed(new Error('foreign_key_check found rows that point nowhere'));
}

function failed(cause: unknown): StorageError {
  const sentence = 'A migration failed, the database is unchanged; install the last version that worked.';
  return new StorageError('migration-failed', sentence, { cause });
}

import { closeSync, openSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { StorageError } from '../../conversation/errors.js';
import { isBusy, toStorageError } from './failure.js';

/** The right to be the one program that writes; it falls with the process. */
export type WriterLock = { release(): void };

/**
 * Takes the writer's lock of a database, a lock file beside it, or refuses at once.
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

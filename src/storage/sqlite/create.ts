import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ConnectionOptions, connect } from './database.js';
import { flush } from './files.js';
import { bringUpToDate } from './migrate.js';

const NOTHING_TO_SAVE = { copy() {}, putBack() {} };

/**
 * Makes a new database, readable by its owner only. It gets its name when it is complete, so that an empty file under
 * that name is never one of ours.
 */
export function createDatabase(path: string, options: ConnectionOptions, migrations: string): void {
  const fresh = `${path}.new`;
  for (const rest of ['', '-wal', '-shm', '-journal']) rmSync(fresh + rest, { force: true });
  closeSync(openSync(fresh, 'wx', 0o600));
  const client = connect(fresh, options);
  try {
    bringUpToDate(client, migrations, NOTHING_TO_SAVE);
  } finally {
    client.close();
  }
  renameSync(fresh, path);
  flush(dirname(path));
}

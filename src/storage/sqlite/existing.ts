import { chmodSync, renameSync, rmSync } from 'node:fs';
import type { Clock } from '../../conversation/clock.js';
import { copyDatabase, copyName, dropOldCopies } from './copies.js';
import { type Client, type ConnectionOptions, connect } from './database.js';
import { bringUpToDate, type Safety } from './migrate.js';

/** How the copies that are made before a migration are named, and how many days they stay. */
export type CopyOptions = { clock: Clock; copiesForDays: number };

/** Opens a database that exists, brought to this program's schema. @throws as `bringUpToDate` does. */
export function openExisting(
  path: string,
  options: ConnectionOptions,
  migrations: string,
  { clock, copiesForDays }: CopyOptions,
): Client {
  tighten(path);
  const client = connect(path, options);
  try {
    bringUpToDate(client, migrations, safetyOf(path, client, clock()));
    dropOldCopies(path, copiesForDays, clock());
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

function safetyOf(path: string, client: Client, at: number): Safety {
  const copy = copyName(path, at);
  return {
    copy() {
      copyDatabase(client, copy);
    },
    putBack() {
      client.close();
      for (const rest of ['-wal', '-shm']) rmSync(path + rest, { force: true });
      renameSync(copy, path);
    },
  };
}

/** Takes other users' access away from a file that was put here with it. */
function tighten(path: string): void {
  for (const rest of ['', '-wal', '-shm']) {
    try {
      chmodSync(path + rest, 0o600);
    } catch {
      // Absent, or another user's file that is shared with us on purpose.
    }
  }
}

import type { Client } from './database.js';

/** Empties the write-ahead log after text was erased, since old pages stay readable in it otherwise. */
export type WalCleaner = { request(): void; clean(): void };

/** A cleaner that waits for no reader: what a backup holds back is done with a later write. */
export function createWalCleaner(client: Client): WalCleaner {
  let due = false;
  return {
    request() {
      due = true;
    },
    clean() {
      if (!due) return;
      const timeout = client.pragma('busy_timeout', { simple: true });
      client.pragma('busy_timeout = 0');
      try {
        due = client.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0;
      } catch {
        // The write itself is durable; the log is emptied with the next one.
      } finally {
        client.pragma(`busy_timeout = ${timeout}`);
      }
    },
  };
}

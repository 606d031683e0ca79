import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';

/** Looks, beside the bot, how long messages take until they are in the database. */
export type DurabilityProbe = {
  /** Watches for a message that was said just now. */
  watch(channelId: string, id: string): void;
  /** Milliseconds from the saying until the row could be read, one sample a message watched. */
  samples: number[];
  close(): void;
};

const GIVE_UP_MS = 10_000;

/** Opens the database a second time, to read only. */
export function openDurabilityProbe(databasePath: string): DurabilityProbe {
  const db = new Sqlite(databasePath, { readonly: true });
  const find = db.prepare(`SELECT 1 FROM messages WHERE session_id = ? AND platform_id = ? AND role = 'user'`).pluck();
  const samples: number[] = [];
  return {
    samples,
    watch(channelId, id) {
      const began = performance.now();
      const look = async () => {
        while (db.open && performance.now() - began < GIVE_UP_MS) {
          if (find.get(`discord:${channelId}`, id) !== undefined) return void samples.push(performance.now() - began);
          await sleep(2);
        }
      };
      void look();
    },
    close: () => void db.close(),
  };
}

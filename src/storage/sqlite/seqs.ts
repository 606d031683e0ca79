import type { Client } from './database.js';

/** Gives out the numbers of messages, each once; a reserved one comes before all that is stored later. */
export type Seqs = {
  /** The number that comes next, not yet taken. */
  peek(): number;
  take(): number;
};

/** Continues after the highest number that the database has ever stored. */
export function continueSeqs(client: Client): Seqs {
  const used = client.prepare("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'messages'").pluck();
  let last = Number(used.get());
  return {
    peek: () => last + 1,
    take() {
      last += 1;
      return last;
    },
  };
}

import { and, asc, eq, lte, ne } from 'drizzle-orm';
import type { SweepCut } from '../../conversation/store.js';
import type { Database } from './database.js';
import { type Folding, noteSwept } from './folding.js';
import { isAmong, listed } from './lists.js';
import { messages, tombstones } from './schema.js';
import type { Sessions } from './sessions.js';
import type { Summaries } from './summaries.js';

/** Joins what a sweep looks at. */
export function prepareSweeping(db: Database, sessions: Sessions, summaries: Summaries, folding: Folding) {
  return {
    sweep(sessionId: string, cut: SweepCut, limit: number): number {
      const covered = summaries.watermarkAt(sessionId, cut.coveredUntil);
      const through = Math.max(covered, (cut.unreachedBelow ?? 0) - 1);
      const due = and(eq(messages.sessionId, sessionId), lte(messages.seq, through), ne(messages.state, 'pending'));
      const seq = { seq: messages.seq };
      const rows = db.select(seq).from(messages).where(due).orderBy(asc(messages.seq)).limit(limit).all();
      if (rows.length === 0) return 0;
      db.delete(messages)
        .where(isAmong(messages.seq, listed(rows.map((row) => row.seq))))
        .run();
      noteSwept(sessions, sessionId, rows);
      folding.dropUseless(sessionId);
      return rows.length;
    },
    sweepTombstones: (until: number): number => db.delete(tombstones).where(lte(tombstones.at, until)).run().changes,
  };
}

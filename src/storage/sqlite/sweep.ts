import { and, asc, eq, lte, ne, sql } from 'drizzle-orm';
import type { SweepCut } from '../../conversation/store.js';
import type { Database } from './database.js';
import type { SpentDeliveries } from './deliveries.js';
import { type Folding, noteSwept } from './folding.js';
import { isAmong, limitOf, listed } from './lists.js';
import { messages, tombstones } from './schema.js';
import type { Sessions } from './sessions.js';
import type { Summaries } from './summaries.js';

type Deps = { db: Database; sessions: Sessions; summaries: Summaries; folding: Folding; spent: SpentDeliveries };

/** Joins what a sweep looks at. */
export function prepareSweeping({ db, sessions, summaries, folding, spent }: Deps) {
  const due = db
    .select({ seq: messages.seq })
    .from(messages)
    .where(
      and(
        eq(messages.sessionId, sql.placeholder('sessionId')),
        lte(messages.seq, sql.placeholder('through')),
        ne(messages.state, 'pending'),
      ),
    )
    .orderBy(asc(messages.seq))
    .limit(limitOf(sql.placeholder('limit')))
    .prepare();
  const rowsDue = (sessionId: string, { coveredUntil, unreachedBelow }: SweepCut, limit: number) => {
    const through = Math.max(summaries.watermarkAt(sessionId, coveredUntil), (unreachedBelow ?? 0) - 1);
    return due.all({ sessionId, through, limit });
  };
  return {
    /** Whether a sweep would find anything; most find nothing, and a write costs far more than a reading. */
    isDue: (sessionId: string, cut: SweepCut): boolean => rowsDue(sessionId, cut, 1).length > 0 || spent.any(sessionId),
    sweep(sessionId: string, cut: SweepCut, limit: number): number {
      const rows = rowsDue(sessionId, cut, limit);
      if (rows.length > 0) {
        db.delete(messages)
          .where(isAmong(messages.seq, listed(rows.map((row) => row.seq))))
          .run();
        noteSwept(sessions, sessionId, rows);
        folding.dropUseless(sessionId);
      }
      return rows.length + spent.drop(sessionId, limit);
    },
    sweepTombstones: (until: number): number => db.delete(tombstones).where(lte(tombstones.at, until)).run().changes,
  };
}

import { and, asc, eq, lte, ne, sql } from 'drizzle-orm';
import type { NewSummary, SummaryCheck } from '../../conversation/history.js';
import type { SweepCut } from '../../conversation/store.js';
import { type Database, inList, jsonList, limitOf } from './connection.js';
import type { StaleDeliveries } from './deliveries.js';
import type { Histories } from './history.js';
import { messages, tombstones } from './schema.js';
import type { Sessions } from './sessions.js';
import type { Summaries, SummaryWrites } from './summaries.js';

/** How summaries come in: only when nothing they were made from has changed meanwhile. */
type Folding = ReturnType<typeof prepareFolding>;

type Deps = { db: Database; sessions: Sessions; summaries: Summaries; writes: SummaryWrites; histories: Histories };

/** Joins what a fold must look at. */
export function prepareFolding({ db, sessions, summaries, writes, histories }: Deps) {
  function holds(next: NewSummary, check: SummaryCheck): boolean {
    const { epoch, revision } = sessions.state(next.sessionId);
    if (epoch !== check.epoch || revision !== check.revision) return false;
    const { summary: previous } = summaries.newest(next.sessionId);
    if ((previous?.id ?? null) !== check.previousId || (previous?.throughSeq ?? 0) > next.throughSeq) return false;
    return (histories.firstPending(next.sessionId) ?? Number.POSITIVE_INFINITY) > next.throughSeq;
  }

  function dropUseless(sessionId: string): void {
    const { summary } = summaries.newest(sessionId);
    if (summary !== null) writes.dropBelow(sessionId, summary.throughSeq, summary.id);
  }

  return {
    save(next: NewSummary, check: SummaryCheck): boolean {
      if (!holds(next, check)) return false;
      const { sessionId, throughSeq } = next;
      sessions.ensure(sessionId);
      writes.add(next);
      if (check.dropCovered) {
        const covered = and(eq(messages.sessionId, sessionId), lte(messages.seq, throughSeq));
        noteSwept(sessions, sessionId, db.delete(messages).where(covered).returning({ seq: messages.seq }).all());
      }
      dropUseless(sessionId);
      return true;
    },
    rewrite(summaryId: number, next: NewSummary, epoch: number): boolean {
      if (sessions.state(next.sessionId).epoch !== epoch) return false;
      const old = summaries.find(summaryId);
      if (old === null || !old.dirty || old.sessionId !== next.sessionId) return false;
      writes.replace(summaryId, next);
      dropUseless(next.sessionId);
      return true;
    },
    /** Drops summaries that no rebuild would begin from. */
    dropUseless,
  };
}

/** Remembers how far retention has deleted. */
function noteSwept(sessions: Sessions, sessionId: string, rows: readonly { seq: number }[]): void {
  const before = sessions.state(sessionId).sweptThrough;
  const highest = rows.reduce((max, { seq }) => Math.max(max, seq), before);
  if (highest > before) sessions.setSweptThrough(sessionId, highest);
}

type SweepDeps = { db: Database; sessions: Sessions; summaries: Summaries; folding: Folding; spent: StaleDeliveries };

/** Joins what a sweep looks at. */
export function prepareSweeping({ db, sessions, summaries, folding, spent }: SweepDeps) {
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
          .where(inList(messages.seq, jsonList(rows.map((row) => row.seq))))
          .run();
        noteSwept(sessions, sessionId, rows);
        folding.dropUseless(sessionId);
      }
      return rows.length + spent.drop(sessionId, limit);
    },
    sweepTombstones: (until: number): void => void db.delete(tombstones).where(lte(tombstones.at, until)).run(),
  };
}

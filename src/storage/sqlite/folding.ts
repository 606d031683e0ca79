import { and, eq, lte } from 'drizzle-orm';
import type { NewSummary, SummaryCheck } from '../../conversation/summary.js';
import type { Database } from './database.js';
import type { Histories } from './history.js';
import { messages } from './schema.js';
import type { Sessions } from './sessions.js';
import type { Summaries } from './summaries.js';
import type { SummaryWrites } from './summary-writes.js';

/** How summaries come in: only when nothing they were made from has changed meanwhile. */
export type Folding = ReturnType<typeof prepareFolding>;

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
export function noteSwept(sessions: Sessions, sessionId: string, rows: readonly { seq: number }[]): void {
  const before = sessions.state(sessionId).sweptThrough;
  const highest = rows.reduce((max, { seq }) => Math.max(max, seq), before);
  if (highest > before) sessions.setSweptThrough(sessionId, highest);
}

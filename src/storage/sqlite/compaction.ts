import { and, asc, eq, lte, ne, sql } from 'drizzle-orm';
import type { NewSummary, SummaryCheck } from '../../conversation/history.js';
import type { ConversationStore, SweepCut } from '../../conversation/store.js';
import { inList, jsonList, limitOf } from './connection.js';
import { prepareStaleDeliveries } from './deliveries.js';
import type { StoreAccess } from './group-commit.js';
import { prepareFirstPending } from './history.js';
import { messages, tombstones } from './schema.js';
import type { Statements } from './statements.js';

export function compactionVerbs(
  statements: Statements,
  { read, write }: StoreAccess,
): Pick<ConversationStore, 'saveSummary' | 'rewriteSummary' | 'dropSummary' | 'sweep' | 'sweepTombstones'> {
  const { db, summaries, cursor } = statements;
  const save = prepareSave(statements);
  const { isDue, sweep } = prepareSweep(statements);
  return {
    saveSummary: (next, check) =>
      write('summary', () => cursor.trackDeletion(next.sessionId, () => save(next, check)), {
        erases: check.dropCovered,
      }),
    rewriteSummary: (id, next, epoch) => write('summary', () => rewrite(statements, id, next, epoch), { erases: true }),
    dropSummary: (id) => write('summary', () => summaries.drop(id), { erases: true }),
    async sweep(sessionId, cut, limit) {
      // Most sweeps find nothing, and a write costs far more than a read.
      if (!(await read(() => isDue(sessionId, cut)))) return 0;
      return write('sweep', () => cursor.trackDeletion(sessionId, () => sweep(sessionId, cut, limit)), {
        erases: true,
      });
    },
    sweepTombstones: (until) => write('sweep', () => void db.delete(tombstones).where(lte(tombstones.at, until)).run()),
  };
}

function prepareSave(statements: Statements): (next: NewSummary, check: SummaryCheck) => boolean {
  const { db, sessions, summaries } = statements;
  const firstPending = prepareFirstPending(db);

  function isUnchanged({ sessionId, throughSeq }: NewSummary, check: SummaryCheck): boolean {
    const { epoch, revision } = sessions.state(sessionId);
    if (epoch !== check.epoch || revision !== check.revision) return false;
    const { summary: previous } = summaries.newest(sessionId);
    if ((previous?.id ?? null) !== check.previousId || (previous?.throughSeq ?? 0) > throughSeq) return false;
    return (firstPending(sessionId) ?? Number.POSITIVE_INFINITY) > throughSeq;
  }

  return (next, check) => {
    if (!isUnchanged(next, check)) return false;
    const { sessionId, throughSeq } = next;
    sessions.ensure(sessionId);
    summaries.add(next);
    if (check.dropCovered) {
      const covered = and(eq(messages.sessionId, sessionId), lte(messages.seq, throughSeq));
      recordSwept(statements, sessionId, db.delete(messages).where(covered).returning({ seq: messages.seq }).all());
    }
    summaries.dropSuperseded(sessionId);
    return true;
  };
}

function rewrite({ sessions, summaries }: Statements, summaryId: number, next: NewSummary, epoch: number): boolean {
  if (sessions.state(next.sessionId).epoch !== epoch) return false;
  const old = summaries.find(summaryId);
  if (old === null || !old.dirty || old.sessionId !== next.sessionId) return false;
  summaries.replace(summaryId, next);
  summaries.dropSuperseded(next.sessionId);
  return true;
}

function recordSwept({ sessions }: Statements, sessionId: string, deleted: readonly { seq: number }[]): void {
  const before = sessions.state(sessionId).sweptThrough;
  const highest = deleted.reduce((max, { seq }) => Math.max(max, seq), before);
  if (highest > before) sessions.setSweptThrough(sessionId, highest);
}

function prepareSweep(statements: Statements) {
  const { db, summaries } = statements;
  const staleDeliveries = prepareStaleDeliveries(db);
  const settled = db
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
    return settled.all({ sessionId, through, limit });
  };
  return {
    isDue: (sessionId: string, cut: SweepCut): boolean =>
      rowsDue(sessionId, cut, 1).length > 0 || staleDeliveries.exist(sessionId),
    sweep(sessionId: string, cut: SweepCut, limit: number): number {
      const rows = rowsDue(sessionId, cut, limit);
      if (rows.length > 0) {
        const seqs = jsonList(rows.map(({ seq }) => seq));
        db.delete(messages).where(inList(messages.seq, seqs)).run();
        recordSwept(statements, sessionId, rows);
        summaries.dropSuperseded(sessionId);
      }
      return rows.length + staleDeliveries.remove(sessionId, limit);
    },
  };
}

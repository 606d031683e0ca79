import { and, asc, eq, lte, ne, sql } from 'drizzle-orm';
import type { ConversationStore, SweepCut } from '../../conversation/store.js';
import { inList, jsonList, limitOf } from './connection.js';
import { prepareStaleDeliveries } from './deliveries.js';
import type { StoreAccess } from './group-commit.js';
import { messages, tombstones } from './schema.js';
import type { Statements } from './statements.js';

export function retentionVerbs(
  statements: Statements,
  { read, write }: StoreAccess,
): Pick<ConversationStore, 'sweep' | 'sweepTombstones'> {
  const { db, cursor } = statements;
  const { isDue, sweep } = prepareSweep(statements);
  return {
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

function prepareSweep(statements: Statements) {
  const { db, sessions, summaries } = statements;
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
        sessions.recordSwept(sessionId, rows);
        summaries.dropSuperseded(sessionId);
      }
      return rows.length + staleDeliveries.remove(sessionId, limit);
    },
  };
}

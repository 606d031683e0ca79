import { and, eq, gte, sql } from 'drizzle-orm';
import { cleanText } from '../../conversation/message.js';
import type { NewSummary } from '../../conversation/summary.js';
import type { Database } from './database.js';
import { messages, summaries } from './schema.js';

/** Writes of summary rows, to be run in a transaction. */
export type SummaryWrites = ReturnType<typeof summaryWrites>;

/** The writes of summary rows. */
export function summaryWrites(db: Database) {
  return {
    add(next: NewSummary): void {
      db.insert(summaries)
        .values({ ...next, text: cleanText(next.text) })
        .run();
    },
    /** Gives a summary another text; it counts as clean from then on. */
    replace(id: number, next: NewSummary): void {
      const set = { ...next, text: cleanText(next.text), dirty: false };
      db.update(summaries).set(set).where(eq(summaries.id, id)).run();
    },
    drop(id: number): void {
      db.delete(summaries).where(eq(summaries.id, id)).run();
    },
    dropAll: (sessionId: string): number =>
      db.delete(summaries).where(eq(summaries.sessionId, sessionId)).run().changes,
    /** Marks what reaches `seq` or beyond; each gets a new id, so that a rewriting of its older reading fails. */
    dirtyFrom(sessionId: string, seq: number): { reached: number; dirtied: number } {
      const reached = and(eq(summaries.sessionId, sessionId), gte(summaries.throughSeq, seq));
      const marked = db.delete(summaries).where(reached).returning().all();
      marked.sort((a, b) => a.throughSeq - b.throughSeq || a.id - b.id);
      for (const { id: _, ...rest } of marked) {
        db.insert(summaries)
          .values({ ...rest, dirty: true })
          .run();
      }
      return { reached: marked.length, dirtied: marked.filter(({ dirty }) => !dirty).length };
    },
    /** Drops what a newest summary makes useless: dirty ones below it, and clean ones without a row between the two. */
    dropBelow(sessionId: string, seq: number, newestId: number): void {
      const others = sql`${summaries.sessionId} = ${sessionId} and ${summaries.id} <> ${newestId}`;
      const rows = sql`select 1 from ${messages} where ${messages.sessionId} = ${sessionId} and ${messages.seq} > ${summaries.throughSeq} and ${messages.seq} <= ${seq}`;
      db.delete(summaries)
        .where(sql`${others} and ${summaries.throughSeq} <= ${seq} and (${summaries.dirty} or not exists (${rows}))`)
        .run();
    },
  };
}

import { and, eq, gte, lte, ne, sql } from 'drizzle-orm';
import { cleanText } from '../../conversation/message.js';
import type { NewSummary, Summary } from '../../conversation/summary.js';
import type { Database } from './database.js';
import { messages, summaries } from './schema.js';
import { NEWEST_FIRST } from './summaries.js';

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
    /**
     * Puts one mark in the place of all summaries that reach `seq` or beyond: dirty, without a text, since that may tell what
     * was erased, and under a new id, so that a rewriting of an older reading fails. `top` is the highest as it was.
     */
    dirtyFrom(sessionId: string, seq: number): { top: Summary | null; mark: Summary | null; dirtied: number } {
      const reached = and(eq(summaries.sessionId, sessionId), gte(summaries.throughSeq, seq));
      const top = db
        .select()
        .from(summaries)
        .where(reached)
        .orderBy(...NEWEST_FIRST)
        .limit(1)
        .get();
      if (top === undefined) return { top: null, mark: null, dirtied: 0 };
      const gone = db.delete(summaries).where(reached).returning({ dirty: summaries.dirty }).all();
      const { id: _, ...rest } = top;
      const mark = db
        .insert(summaries)
        .values({ ...rest, text: '', tokens: 0, dirty: true })
        .returning()
        .get();
      return { top, mark, dirtied: gone.filter(({ dirty }) => !dirty).length };
    },
    /** Drops what a newest summary makes useless: marks below it, and clean ones without a row between the two. */
    dropBelow(sessionId: string, seq: number, newestId: number): void {
      const below = and(eq(summaries.sessionId, sessionId), lte(summaries.throughSeq, seq), ne(summaries.id, newestId));
      const { through } = db
        .select({ through: sql<number>`ifnull(max(${messages.seq}), 0)` })
        .from(messages)
        .where(and(eq(messages.sessionId, sessionId), lte(messages.seq, seq)))
        .get() ?? { through: 0 };
      db.delete(summaries)
        .where(and(below, sql`${summaries.dirty} = 1`))
        .run();
      db.delete(summaries)
        .where(and(below, sql`${summaries.dirty} = 0`, gte(summaries.throughSeq, through)))
        .run();
    },
  };
}

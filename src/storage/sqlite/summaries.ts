import { and, asc, desc, eq, gte, lte, ne, sql } from 'drizzle-orm';
import type { NewSummary, Summary } from '../../conversation/history.js';
import { cleanText } from '../../conversation/message.js';
import type { Erased } from '../../conversation/store.js';
import { type Database, limitOf } from './connection.js';
import { messages, summaries } from './schema.js';

const SESSION = eq(summaries.sessionId, sql.placeholder('sessionId'));
const CLEAN = sql`${summaries.dirty} = 0`;
/** The order in which the newest summary comes first. */
const NEWEST_FIRST = [desc(summaries.throughSeq), desc(summaries.id)];

/** Readings of summary rows. */
export type Summaries = ReturnType<typeof prepareSummaries>;

/** Prepares the readings of summary rows. */
export function prepareSummaries(db: Database) {
  const all = () => db.select().from(summaries);
  const newestOfAll = all()
    .where(SESSION)
    .orderBy(...NEWEST_FIRST)
    .limit(limitOf(1))
    .prepare();
  const newestClean = all()
    .where(and(SESSION, CLEAN))
    .orderBy(...NEWEST_FIRST)
    .limit(limitOf(1))
    .prepare();
  const coveredBy = db
    .select({ seq: sql<number | null>`max(${summaries.throughSeq})` })
    .from(summaries)
    .where(and(SESSION, CLEAN, lte(summaries.createdAt, sql.placeholder('at'))))
    .prepare();
  return {
    /** The summary that may be sent, and how far a dirty one above it reaches. */
    newest(sessionId: string): { summary: Summary | null; dirtyThrough: number | null } {
      const top = newestOfAll.get({ sessionId }) ?? null;
      if (top === null || !top.dirty) return { summary: top, dirtyThrough: null };
      return { summary: newestClean.get({ sessionId }) ?? null, dirtyThrough: top.throughSeq };
    },
    /** All summaries of a session, by how far they reach. */
    ofSession: (sessionId: string): Summary[] =>
      all().where(eq(summaries.sessionId, sessionId)).orderBy(asc(summaries.throughSeq), asc(summaries.id)).all(),
    find: (id: number): Summary | null => all().where(eq(summaries.id, id)).get() ?? null,
    /** How far the clean summaries reached that were made until a time; 0 without one. */
    watermarkAt: (sessionId: string, at: number): number => coveredBy.get({ sessionId, at })?.seq ?? 0,
  };
}

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

/** The receipt of an erasure that found nothing. */
export const NOTHING_ERASED: Erased = {
  messages: 0,
  answers: 0,
  summaries: 0,
  dirtied: 0,
  unrebuildable: null,
  names: [],
};

/**
 * Whether the mark that an erasure left in the place of summaries can give way to one made from rows: no row that it covers
 * was deleted by retention, or a clean summary stands for all of those.
 */
export function isRebuildable(mark: Summary, clean: Summary | null, sweptThrough: number): boolean {
  return sweptThrough < mark.fromSeq || sweptThrough <= (clean?.throughSeq ?? 0);
}

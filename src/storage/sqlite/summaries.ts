import { and, asc, desc, eq, lte, sql } from 'drizzle-orm';
import type { Summary } from '../../conversation/summary.js';
import type { Database } from './database.js';
import { limitOf } from './lists.js';
import { summaries } from './schema.js';

const SESSION = eq(summaries.sessionId, sql.placeholder('sessionId'));
const CLEAN = sql`${summaries.dirty} = 0`;
/** The order in which the newest summary comes first. */
export const NEWEST_FIRST = [desc(summaries.throughSeq), desc(summaries.id)];

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

import { and, asc, desc, eq, gte, lte, ne, sql } from 'drizzle-orm';
import type { NewSummary, Summary, SummaryCheck } from '../../conversation/history.js';
import { cleanText } from '../../conversation/message.js';
import type { ConversationStore } from '../../conversation/store.js';
import { type Database, limitOf } from './connection.js';
import type { StoreAccess } from './group-commit.js';
import { prepareFirstPending } from './history.js';
import { messages, summaries } from './schema.js';
import type { Statements } from './statements.js';

export function summaryVerbs(
  statements: Statements,
  { write }: StoreAccess,
): Pick<ConversationStore, 'saveSummary' | 'rewriteSummary' | 'dropSummary'> {
  const { summaries: rows, cursor } = statements;
  const save = prepareSave(statements);
  return {
    saveSummary: (next, check) =>
      write('summary', () => cursor.trackDeletion(next.sessionId, () => save(next, check)), {
        erases: check.dropCovered,
      }),
    rewriteSummary: (id, next, epoch) => write('summary', () => rewrite(statements, id, next, epoch), { erases: true }),
    dropSummary: (id) => write('summary', () => rows.drop(id), { erases: true }),
  };
}

function prepareSave(statements: Statements): (next: NewSummary, check: SummaryCheck) => boolean {
  const { db, sessions, summaries: rows } = statements;
  const firstPending = prepareFirstPending(db);

  function isUnchanged({ sessionId, throughSeq }: NewSummary, check: SummaryCheck): boolean {
    const { epoch, revision } = sessions.state(sessionId);
    if (epoch !== check.epoch || revision !== check.revision) return false;
    const { summary: previous } = rows.newest(sessionId);
    if ((previous?.id ?? null) !== check.previousId || (previous?.throughSeq ?? 0) > throughSeq) return false;
    return (firstPending(sessionId) ?? Number.POSITIVE_INFINITY) > throughSeq;
  }

  return (next, check) => {
    if (!isUnchanged(next, check)) return false;
    const { sessionId, throughSeq } = next;
    sessions.ensure(sessionId);
    rows.add(next);
    if (check.dropCovered) {
      const covered = and(eq(messages.sessionId, sessionId), lte(messages.seq, throughSeq));
      sessions.recordSwept(sessionId, db.delete(messages).where(covered).returning({ seq: messages.seq }).all());
    }
    rows.dropSuperseded(sessionId);
    return true;
  };
}

function rewrite(
  { sessions, summaries: rows }: Statements,
  summaryId: number,
  next: NewSummary,
  epoch: number,
): boolean {
  if (sessions.state(next.sessionId).epoch !== epoch) return false;
  const old = rows.find(summaryId);
  if (old === null || !old.dirty || old.sessionId !== next.sessionId) return false;
  rows.replace(summaryId, next);
  rows.dropSuperseded(next.sessionId);
  return true;
}

export type Summaries = ReturnType<typeof prepareSummaries>;

export function prepareSummaries(db: Database) {
  const readings = summaryReadings(db);
  return { ...readings, ...summaryWrites(db, readings) };
}

const CLEAN = sql`${summaries.dirty} = 0`;
const DIRTY = sql`${summaries.dirty} = 1`;
const NEWEST_FIRST = [desc(summaries.throughSeq), desc(summaries.id)];

function summaryReadings(db: Database) {
  const session = eq(summaries.sessionId, sql.placeholder('sessionId'));
  const all = () => db.select().from(summaries);
  const newest = all()
    .where(session)
    .orderBy(...NEWEST_FIRST)
    .limit(limitOf(1))
    .prepare();
  const newestClean = all()
    .where(and(session, CLEAN))
    .orderBy(...NEWEST_FIRST)
    .limit(limitOf(1))
    .prepare();
  const watermark = db
    .select({ seq: sql<number | null>`max(${summaries.throughSeq})` })
    .from(summaries)
    .where(and(session, CLEAN, lte(summaries.createdAt, sql.placeholder('at'))))
    .prepare();
  return {
    /** Returns the newest clean summary, which may be sent, and the watermark of a dirty one above it. */
    newest(sessionId: string): { summary: Summary | null; dirtyThrough: number | null } {
      const top = newest.get({ sessionId }) ?? null;
      if (top === null || !top.dirty) return { summary: top, dirtyThrough: null };
      return { summary: newestClean.get({ sessionId }) ?? null, dirtyThrough: top.throughSeq };
    },
    /** Lists the summaries of a session by watermark. */
    ofSession: (sessionId: string): Summary[] =>
      all().where(eq(summaries.sessionId, sessionId)).orderBy(asc(summaries.throughSeq), asc(summaries.id)).all(),
    find: (id: number): Summary | null => all().where(eq(summaries.id, id)).get() ?? null,
    /** Returns the watermark of the clean summaries that were made until a time; 0 without one. */
    watermarkAt: (sessionId: string, at: number): number => watermark.get({ sessionId, at })?.seq ?? 0,
  };
}

function summaryWrites(db: Database, { newest }: ReturnType<typeof summaryReadings>) {
  return {
    add(next: NewSummary): void {
      db.insert(summaries)
        .values({ ...next, text: cleanText(next.text) })
        .run();
    },
    /** Gives a dirty summary a new text, clean again. */
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
     * Replaces all summaries that reach `seq` or beyond by one that is dirty: without a text, since that may hold what was
     * erased, and under a new id, so that a rewrite of an older one fails. `before` is the newest of them as it was;
     * `dirtied` counts those that were clean.
     */
    replaceByDirty(sessionId: string, seq: number): { before: Summary; dirty: Summary; dirtied: number } | null {
      const reached = and(eq(summaries.sessionId, sessionId), gte(summaries.throughSeq, seq));
      const before = db
        .select()
        .from(summaries)
        .where(reached)
        .orderBy(...NEWEST_FIRST)
        .limit(1)
        .get();
      if (before === undefined) return null;
      const replaced = db.delete(summaries).where(reached).returning({ dirty: summaries.dirty }).all();
      const { id: _, ...rest } = before;
      const dirty = db
        .insert(summaries)
        .values({ ...rest, text: '', tokens: 0, dirty: true })
        .returning()
        .get();
      return { before, dirty, dirtied: replaced.filter((summary) => !summary.dirty).length };
    },
    /** Drops what the newest clean summary supersedes: dirty ones below it, and clean ones without a row between the two. */
    dropSuperseded(sessionId: string): void {
      const { summary } = newest(sessionId);
      if (summary === null) return;
      const { id, throughSeq } = summary;
      const below = and(
        eq(summaries.sessionId, sessionId),
        lte(summaries.throughSeq, throughSeq),
        ne(summaries.id, id),
      );
      const lastRow = db
        .select({ seq: sql<number>`ifnull(max(${messages.seq}), 0)` })
        .from(messages)
        .where(and(eq(messages.sessionId, sessionId), lte(messages.seq, throughSeq)))
        .get();
      db.delete(summaries).where(and(below, DIRTY)).run();
      db.delete(summaries)
        .where(and(below, CLEAN, gte(summaries.throughSeq, lastRow?.seq ?? 0)))
        .run();
    },
  };
}

/**
 * Tells whether a dirty summary can be rebuilt from rows: retention has deleted none of those that it covers, or a clean
 * summary covers all that it has deleted.
 */
export function isRebuildable(dirty: Summary, clean: Summary | null, sweptThrough: number): boolean {
  return sweptThrough < dirty.fromSeq || sweptThrough <= (clean?.throughSeq ?? 0);
}

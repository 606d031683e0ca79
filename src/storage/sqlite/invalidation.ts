import { and, asc, eq, gt, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { Erased } from '../../conversation/store.js';
import { type Database, inList, jsonList, limitOf } from './connection.js';
import { messages, tombstones } from './schema.js';
import type { Sessions } from './sessions.js';
import { isRebuildable, type Summaries, type SummaryWrites } from './summaries.js';

/** An erased message and the time until which its tombstone counts as laid, in milliseconds since 1970. */
type Tombstone = { platformId: string; at: number };

/** What an erasure leaves behind in what was derived from the erased text. */
export type Invalidation = ReturnType<typeof prepareInvalidation>;

/** Prepares the marks: tombstones, quotes taken back, dirty summaries. */
export function prepareInvalidation(db: Database, sessions: Sessions, summaries: Summaries, writes: SummaryWrites) {
  function unquote(sessionId: string, quoting: SQL): number[] {
    const nothing = { quotePlatformId: null, quoteAuthorId: null, quoteAuthorName: null, quoteText: null };
    return db
      .update(messages)
      .set({ ...nothing, tokens: null, encoding: null })
      .where(and(eq(messages.sessionId, sessionId), quoting))
      .returning({ seq: messages.seq })
      .all()
      .map(({ seq }) => seq);
  }

  return {
    /** Takes the quotes of messages back; resolves the rows that carried them. */
    unquoteMessages: (sessionId: string, platformIds: readonly string[]): number[] =>
      unquote(sessionId, inList(messages.quotePlatformId, jsonList(platformIds))),
    /** Takes the quotes of a person back; resolves the rows that carried them, oldest first, with the name they quoted. */
    unquoteAuthor(sessionId: string, authorId: string): { seq: number; name: string | null }[] {
      const { seq, quoteAuthorName: name } = messages;
      const theirs = eq(messages.quoteAuthorId, authorId);
      const ours = and(eq(messages.sessionId, sessionId), theirs);
      const quoting = db.select({ seq, name }).from(messages).where(ours).orderBy(asc(seq)).all();
      unquote(sessionId, theirs);
      return quoting;
    },
    /** Sees to it that these messages are not stored when they come late or again. */
    addTombstones(sessionId: string, graves: readonly Tombstone[]): void {
      const list = JSON.stringify(graves.map(({ platformId, at }) => [platformId, at]));
      const rows = sql`select ${sessionId}, value ->> 0, value ->> 1 from json_each(${list}) where true`;
      db.run(sql`insert into ${tombstones} (session_id, platform_id, at) ${rows} on conflict do nothing`);
    },
    /** Ids among these that have a tombstone. */
    tombstonesAmong: (sessionId: string, platformIds: readonly string[]): Set<string> =>
      new Set(
        db
          .select({ id: tombstones.platformId })
          .from(tombstones)
          .where(and(eq(tombstones.sessionId, sessionId), inList(tombstones.platformId, jsonList(platformIds))))
          .all()
          .map(({ id }) => id),
      ),
    /** Marks the summaries that reach the lowest of the changed rows, and says which of them rows cannot restore. */
    markDirty(sessionId: string, changed: readonly number[]): Pick<Erased, 'dirtied' | 'unrebuildable'> {
      if (changed.length === 0) return { dirtied: 0, unrebuildable: null };
      const { top, mark, dirtied } = writes.dirtyFrom(sessionId, lowest(changed));
      if (top === null || mark === null) return { dirtied: 0, unrebuildable: null };
      const { sweptThrough } = sessions.state(sessionId);
      const { summary: clean } = summaries.newest(sessionId);
      return { dirtied, unrebuildable: isRebuildable(mark, clean, sweptThrough) ? null : { ...mark, text: top.text } };
    },
  };
}

function lowest(seqs: readonly number[]): number {
  return seqs.reduce((min, seq) => Math.min(min, seq), Number.POSITIVE_INFINITY);
}

/** For each number the next answer after it, each answer once; both lists rise, and are read once. */
export function answersAfter(seqs: readonly number[], answers: readonly number[]): number[] {
  const found: number[] = [];
  let at = 0;
  for (const seq of seqs) {
    while (at < answers.length && (answers[at] ?? 0) < seq) at += 1;
    const answer = answers[at];
    if (answer === undefined) break;
    if (found.at(-1) !== answer) found.push(answer);
  }
  return found;
}

/** Where turns begin and end among the rows; a turn's answer is the next one after its questions. */
export type TurnSpans = ReturnType<typeof prepareTurnSpans>;

const SESSION = eq(messages.sessionId, sql.placeholder('sessionId'));
const ANSWERS = and(SESSION, eq(messages.role, 'assistant'));
const USERS = and(SESSION, eq(messages.role, 'user'));
const AFTER = gt(messages.seq, sql.placeholder('after'));
const BEFORE = lt(messages.seq, sql.placeholder('before'));

/** Prepares looks at the rows around a message. */
export function prepareTurnSpans(db: Database) {
  const { previous, next, between, asked, said } = prepareLooks(db);
  const answerBefore = (sessionId: string, before: number): number => previous.get({ sessionId, before })?.seq ?? 0;
  return {
    /** The answer before a row, 0 when there is none. */
    answerBefore,
    /** The answers to what was said at these rows, each once, oldest first; costs one reading of the rows between. */
    answersTo(sessionId: string, seqs: readonly number[]): number[] {
      const sorted = [...seqs].sort((a, b) => a - b);
      const [lowest, highest] = [sorted[0], sorted.at(-1)];
      if (lowest === undefined || highest === undefined) return [];
      const through = next.get({ sessionId, after: highest })?.seq ?? highest;
      const answers = between.all({ sessionId, after: lowest, through }).map(({ seq }) => seq);
      return answersAfter(sorted, answers);
    },
    /** True when a question that an answer belongs to is still stored; talk that was only heard is none. */
    hasQuestion: (sessionId: string, before: number): boolean =>
      asked.get({ sessionId, after: answerBefore(sessionId, before), before }) !== undefined,
    /** What people said between two rows, oldest first. */
    saidBetween: (sessionId: string, after: number, before: number) => said.all({ sessionId, after, before }),
    /** Deletes rows. */
    remove(seqs: readonly number[]): void {
      if (seqs.length > 0)
        db.delete(messages)
          .where(inList(messages.seq, jsonList(seqs)))
          .run();
    },
  };
}

function prepareLooks(db: Database) {
  const { seq, platformId, authorId, state, createdAt: at } = messages;
  const max = sql<number | null>`max(${seq})`;
  const min = sql<number | null>`min(${seq})`;
  const questions = and(USERS, AFTER, BEFORE, sql`${state} in ('answered', 'pending')`);
  return {
    previous: db.select({ seq: max }).from(messages).where(and(ANSWERS, BEFORE)).prepare(),
    next: db.select({ seq: min }).from(messages).where(and(ANSWERS, AFTER)).prepare(),
    between: db
      .select({ seq })
      .from(messages)
      .where(and(ANSWERS, AFTER, lte(seq, sql.placeholder('through'))))
      .orderBy(asc(seq))
      .prepare(),
    asked: db.select({ seq }).from(messages).where(questions).limit(limitOf(1)).prepare(),
    said: db
      .select({ seq, platformId, authorId, state, at })
      .from(messages)
      .where(and(USERS, AFTER, BEFORE))
      .orderBy(asc(seq))
      .prepare(),
  };
}

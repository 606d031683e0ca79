import { and, asc, eq, gt, lt, lte, sql } from 'drizzle-orm';
import { answersAfter } from '../answers-after.js';
import type { Database } from './database.js';
import { isAmong, limitOf, listed } from './lists.js';
import { messages } from './schema.js';

/** Where turns begin and end among the rows; a turn's answer is the next one after its questions. */
export type Span = ReturnType<typeof prepareSpan>;

const SESSION = eq(messages.sessionId, sql.placeholder('sessionId'));
const ANSWERS = and(SESSION, eq(messages.role, 'assistant'));
const USERS = and(SESSION, eq(messages.role, 'user'));
const AFTER = gt(messages.seq, sql.placeholder('after'));
const BEFORE = lt(messages.seq, sql.placeholder('before'));

/** Prepares looks at the rows around a message. */
export function prepareSpan(db: Database) {
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
          .where(isAmong(messages.seq, listed(seqs)))
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

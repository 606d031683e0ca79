import { and, asc, eq, gt, lt, lte, sql } from 'drizzle-orm';
import type { Message } from '../../conversation/message.js';
import { type Database, inList, jsonList, limitOf } from './connection.js';
import { messages } from './schema.js';

/** Prepares queries for the rows of a turn, whose answer is the next one after its questions. */
export function prepareTurnQuestions(db: Database) {
  const { answerBefore, answerAfter, answersBetween, questionBetween, userRowsBetween } = prepareLooks(db);
  const seqBefore = (sessionId: string, before: number): number => answerBefore.get({ sessionId, before })?.seq ?? 0;
  return {
    /** Returns the `seq` of the answer before a row, 0 when there is none. */
    answerBefore: seqBefore,
    /** Returns the `seq`s of the answers to people's messages, each once, oldest first; costs one read of the rows between. */
    answersTo(sessionId: string, seqs: readonly number[]): number[] {
      const sorted = [...seqs].sort((a, b) => a - b);
      const [lowest, highest] = [sorted[0], sorted.at(-1)];
      if (lowest === undefined || highest === undefined) return [];
      const through = answerAfter.get({ sessionId, after: highest })?.seq ?? highest;
      const answers = answersBetween.all({ sessionId, after: lowest, through }).map(({ seq }) => seq);
      return matchAnswers(sorted, answers);
    },
    /** Tells whether a question to an answer is still stored; messages that nobody addressed to the bot are none. */
    hasQuestion: (sessionId: string, answer: number): boolean =>
      questionBetween.get({ sessionId, after: seqBefore(sessionId, answer), before: answer }) !== undefined,
    /** Lists people's messages between two rows, oldest first. */
    userRowsBetween: (sessionId: string, after: number, before: number) =>
      userRowsBetween.all({ sessionId, after, before }),
    remove(seqs: readonly number[]): void {
      if (seqs.length === 0) return;
      const list = jsonList(seqs);
      db.delete(messages).where(inList(messages.seq, list)).run();
    },
  };
}

function prepareLooks(db: Database) {
  const { seq, platformId, authorId, role, state, createdAt: at } = messages;
  const session = eq(messages.sessionId, sql.placeholder('sessionId'));
  const after = gt(seq, sql.placeholder('after'));
  const before = lt(seq, sql.placeholder('before'));
  const answers = and(session, eq(role, 'assistant'));
  const userRows = and(session, eq(role, 'user'), after, before);
  const highest = sql<number | null>`max(${seq})`;
  const lowest = sql<number | null>`min(${seq})`;
  return {
    answerBefore: db.select({ seq: highest }).from(messages).where(and(answers, before)).prepare(),
    answerAfter: db.select({ seq: lowest }).from(messages).where(and(answers, after)).prepare(),
    answersBetween: db
      .select({ seq })
      .from(messages)
      .where(and(answers, after, lte(seq, sql.placeholder('through'))))
      .orderBy(asc(seq))
      .prepare(),
    questionBetween: db
      .select({ seq })
      .from(messages)
      .where(and(userRows, sql`${state} in ('answered', 'pending')`))
      .limit(limitOf(1))
      .prepare(),
    userRowsBetween: db
      .select({ seq, platformId, authorId, state, at })
      .from(messages)
      .where(userRows)
      .orderBy(asc(seq))
      .prepare(),
  };
}

/** Finds the next answer after each row, each answer once; both lists rise, and each is read once. */
export function matchAnswers(seqs: readonly number[], answers: readonly number[]): number[] {
  const found: number[] = [];
  let next = 0;
  for (const seq of seqs) {
    while (next < answers.length && (answers[next] ?? 0) < seq) next += 1;
    const answer = answers[next];
    if (answer === undefined) break;
    if (found.at(-1) !== answer) found.push(answer);
  }
  return found;
}

/** Tells whether a person's message is a question that was or will be answered. */
export function isOpenOrAnswered({ state }: Pick<Message, 'state'>): boolean {
  return state === 'answered' || state === 'pending';
}

/**
 * Finds the first question of a turn among people's messages since the answer before it. Unaddressed messages before it, and
 * questions of an earlier turn that failed, do not belong to the turn.
 */
export function firstQuestion<T extends Pick<Message, 'state'>>(userRows: readonly T[]): T | undefined {
  return userRows.find(isOpenOrAnswered) ?? userRows.findLast(({ state }) => state === 'failed');
}

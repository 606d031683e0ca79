import { and, asc, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import type { Database } from './database.js';
import { isAmong, listed } from './lists.js';
import { messages } from './schema.js';

/** Where turns begin and end among the rows; a turn's answer is the next one after its questions. */
export type Span = ReturnType<typeof prepareSpan>;

/** Prepares looks at the rows around a message. */
export function prepareSpan(db: Database) {
  const answers = (sessionId: string) => and(eq(messages.sessionId, sessionId), eq(messages.role, 'assistant'));
  const users = (sessionId: string) => and(eq(messages.sessionId, sessionId), eq(messages.role, 'user'));
  const max = sql<number | null>`max(${messages.seq})`;
  const min = sql<number | null>`min(${messages.seq})`;

  function answerBefore(sessionId: string, seq: number): number {
    return (
      db
        .select({ seq: max })
        .from(messages)
        .where(and(answers(sessionId), lt(messages.seq, seq)))
        .get()?.seq ?? 0
    );
  }

  return {
    /** The answer before a row, 0 when there is none. */
    answerBefore,
    /** The answer to what was said at a row, null when there is none. */
    answerAfter: (sessionId: string, seq: number): number | null =>
      db
        .select({ seq: min })
        .from(messages)
        .where(and(answers(sessionId), gt(messages.seq, seq)))
        .get()?.seq ?? null,
    /** True when a question that an answer belongs to is still stored; talk that was only heard is none. */
    hasQuestion(sessionId: string, answerSeq: number): boolean {
      const within = and(gt(messages.seq, answerBefore(sessionId, answerSeq)), lt(messages.seq, answerSeq));
      const asked = and(users(sessionId), within, inArray(messages.state, ['answered', 'pending']));
      return db.select({ seq: messages.seq }).from(messages).where(asked).limit(1).get() !== undefined;
    },
    /** What people said between two rows, oldest first. */
    saidBetween(sessionId: string, after: number, before: number) {
      const { seq, platformId, authorId, state, createdAt: at } = messages;
      const within = and(users(sessionId), gt(messages.seq, after), lt(messages.seq, before));
      return db
        .select({ seq, platformId, authorId, state, at })
        .from(messages)
        .where(within)
        .orderBy(asc(messages.seq))
        .all();
    },
    /** Deletes rows. */
    remove(seqs: readonly number[]): void {
      if (seqs.length > 0)
        db.delete(messages)
          .where(isAmong(messages.seq, listed(seqs)))
          .run();
    },
  };
}

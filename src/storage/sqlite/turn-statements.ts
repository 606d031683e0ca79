import { and, asc, eq, sql } from 'drizzle-orm';
import type { Database } from './database.js';
import { isAmong } from './lists.js';
import { messages } from './schema.js';

const SESSION = eq(messages.sessionId, sql.placeholder('sessionId'));
const SEQ = eq(messages.seq, sql.placeholder('seq'));
const PENDING = sql`${messages.state} = 'pending'`;
const FIRST_PENDING = sql`(select min(seq) from messages where session_id = ${sql.placeholder('sessionId')} and state = 'pending' and role = 'user')`;

/** Prepares the readings of a turn. */
export function prepareTurnReadings(db: Database) {
  const { seq, role, state } = messages;
  return {
    /** What people said from the first waiting question on, oldest first. */
    questions: db
      .select()
      .from(messages)
      .where(and(SESSION, eq(role, 'user'), sql`${seq} >= ${FIRST_PENDING}`))
      .orderBy(asc(seq))
      .prepare(),
    /** A question and its answer, whichever are stored. */
    exchange: db
      .select({ seq, role, state })
      .from(messages)
      .where(and(SESSION, eq(messages.platformId, sql.placeholder('platformId'))))
      .prepare(),
    /** The answer that stands under a number. */
    answer: db
      .select({ state })
      .from(messages)
      .where(and(SEQ, SESSION, eq(role, 'assistant')))
      .prepare(),
  };
}

/** Prepares the writes of a turn. */
export function prepareTurnWrites(db: Database) {
  return {
    /** Drops answers to these questions that were not delivered. */
    dropUndelivered: db
      .delete(messages)
      .where(
        and(
          SESSION,
          PENDING,
          eq(messages.role, 'assistant'),
          isAmong(messages.platformId, sql.placeholder('platformIds')),
        ),
      )
      .prepare(),
    /** Ends the waiting of these rows. */
    settle: db
      .update(messages)
      .set({ state: sql`${sql.placeholder('state')}` })
      .where(and(SESSION, PENDING, isAmong(messages.seq, sql.placeholder('seqs'))))
      .prepare(),
  };
}

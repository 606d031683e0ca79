import { and, asc, eq, gte, sql } from 'drizzle-orm';
import type { Message } from '../../conversation/message.js';
import type { Delivery, Erased } from '../../conversation/store.js';
import { type Database, inList, jsonList, limitOf } from './connection.js';
import type { Invalidation, TurnSpans } from './invalidation.js';
import { toMessage } from './rows.js';
import { deliveries, messages } from './schema.js';
import type { Sessions } from './sessions.js';
import { NOTHING_ERASED } from './summaries.js';

type Deps = { db: Database; sessions: Sessions; span: TurnSpans; marks: Invalidation };

const { sessionId, answerTo, chunk, messageId } = deliveries;

/** Prepares what concerns deliveries. */
export function prepareDeliveries({ db, sessions, span, marks }: Deps) {
  const { list, shown, pending } = prepareReadings(db);
  const { plan, confirm } = prepareWrites(db);
  const answerRow = (session: string, question: string) =>
    and(eq(messages.sessionId, session), eq(messages.platformId, question), eq(messages.role, 'assistant'));
  return {
    list: (session: string, question: string): Delivery[] => list.all({ sessionId: session, answerTo: question }),
    answeredBy: (session: string, message: string): string | null =>
      shown.get({ sessionId: session, messageId: message })?.answerTo ?? null,
    plan(delivery: Delivery): Delivery {
      plan.run(delivery);
      return list.all(delivery).find((known) => known.chunk === delivery.chunk) ?? delivery;
    },
    confirm: (session: string, question: string, index: number, message: string): void =>
      void confirm.run({ sessionId: session, answerTo: question, chunk: index, messageId: message }),
    dropFrom(session: string, question: string, index: number): void {
      db.delete(deliveries)
        .where(and(eq(sessionId, session), eq(answerTo, question), gte(chunk, index)))
        .run();
    },
    /** The answer that is stored and not delivered yet. */
    pendingAnswer(session: string): Message | null {
      const row = pending.get({ sessionId: session });
      return row === undefined ? null : toMessage(row);
    },
    eraseAnswer(session: string, question: string): Erased {
      const rows = db.select({ seq: messages.seq }).from(messages).where(answerRow(session, question)).all();
      const seqs = rows.map(({ seq }) => seq);
      if (seqs.length === 0) return NOTHING_ERASED;
      span.remove(seqs);
      sessions.revise(session);
      return { ...NOTHING_ERASED, answers: seqs.length, ...marks.markDirty(session, seqs) };
    },
  };
}

/** Deliveries that nothing needs any more. */
export type StaleDeliveries = ReturnType<typeof prepareStaleDeliveries>;

/**
 * Prepares the end of deliveries: they are needed until neither question nor answer is stored. While something waits in a
 * session all of its deliveries stay, since an answer in the making has no row yet and is told from earlier ones by theirs.
 */
export function prepareStaleDeliveries(db: Database) {
  const session = sql.placeholder('sessionId');
  const kept = sql`select 1 from messages where session_id = ${session} and platform_id = ${answerTo}`;
  const waiting = sql`select 1 from messages where session_id = ${session} and state = 'pending'`;
  const spent = db
    .selectDistinct({ answerTo })
    .from(deliveries)
    .where(and(eq(sessionId, session), sql`not exists (${kept})`, sql`not exists (${waiting})`))
    .limit(limitOf(sql.placeholder('limit')))
    .prepare();
  return {
    /** Whether there are any in a session. */
    any: (id: string): boolean => spent.all({ sessionId: id, limit: 1 }).length > 0,
    /** Deletes those of at most `limit` answers; returns how many deliveries that were. */
    drop(id: string, limit: number): number {
      const answers = jsonList(spent.all({ sessionId: id, limit }).map((row) => row.answerTo));
      const theirs = and(eq(sessionId, id), inList(answerTo, answers));
      return db.delete(deliveries).where(theirs).run().changes;
    },
  };
}

function prepareReadings(db: Database) {
  const session = sql.placeholder('sessionId');
  const { seq, role, state } = messages;
  return {
    list: db
      .select()
      .from(deliveries)
      .where(and(eq(sessionId, session), eq(answerTo, sql.placeholder('answerTo'))))
      .orderBy(asc(chunk))
      .prepare(),
    shown: db
      .select({ answerTo })
      .from(deliveries)
      .where(and(eq(sessionId, session), eq(messageId, sql.placeholder('messageId'))))
      .prepare(),
    pending: db
      .select()
      .from(messages)
      .where(and(eq(messages.sessionId, session), sql`${state} = 'pending'`, eq(role, 'assistant')))
      .orderBy(asc(seq))
      .limit(limitOf(1))
      .prepare(),
  };
}

function prepareWrites(db: Database) {
  const { placeholder } = sql;
  const one = { sessionId: placeholder('sessionId'), answerTo: placeholder('answerTo'), chunk: placeholder('chunk') };
  return {
    plan: db
      .insert(deliveries)
      .values({ ...one, nonce: placeholder('nonce'), messageId: placeholder('messageId') })
      .onConflictDoNothing()
      .prepare(),
    confirm: db
      .update(deliveries)
      .set({ messageId: sql`${placeholder('messageId')}` })
      .where(and(eq(sessionId, one.sessionId), eq(answerTo, one.answerTo), eq(chunk, one.chunk)))
      .prepare(),
  };
}

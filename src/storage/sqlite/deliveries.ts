import { and, asc, eq, gte, sql } from 'drizzle-orm';
import type { Delivery, DeliveryStore } from '../../conversation/store.js';
import { type Database, inList, jsonList, limitOf } from './connection.js';
import type { StoreAccess } from './group-commit.js';
import { deliveries } from './schema.js';
import type { Statements } from './statements.js';

const { sessionId, answerTo, chunk, messageId } = deliveries;
const SESSION = eq(sessionId, sql.placeholder('sessionId'));

export function deliveryVerbs(
  { db }: Statements,
  { read, write }: StoreAccess,
): Omit<DeliveryStore, 'unfinishedAnswer' | 'eraseAnswer'> {
  const list = prepareDeliveryList(db);
  const { plan, confirm, answeredBy } = prepareChunks(db);
  return {
    planDelivery: (delivery) =>
      write('plan', () => {
        plan.run(delivery);
        const planned = list(delivery.sessionId, delivery.answerTo);
        return planned.find((known) => known.chunk === delivery.chunk) ?? delivery;
      }),
    confirmDelivery: (session, question, index, message) =>
      write(
        'confirm',
        () => void confirm.run({ sessionId: session, answerTo: question, chunk: index, messageId: message }),
      ),
    dropDeliveries: (session, question, fromChunk) =>
      write('unplan', () => {
        const rest = and(eq(sessionId, session), eq(answerTo, question), gte(chunk, fromChunk));
        db.delete(deliveries).where(rest).run();
      }),
    deliveriesOf: (session, question) => read(() => list(session, question)),
    answeredBy: (session, message) =>
      read(() => answeredBy.get({ sessionId: session, messageId: message })?.answerTo ?? null),
  };
}

export function prepareDeliveryList(db: Database): (session: string, question: string) => Delivery[] {
  const list = db
    .select()
    .from(deliveries)
    .where(and(SESSION, eq(answerTo, sql.placeholder('answerTo'))))
    .orderBy(asc(chunk))
    .prepare();
  return (session, question) => list.all({ sessionId: session, answerTo: question });
}

function prepareChunks(db: Database) {
  const values = {
    sessionId: sql.placeholder('sessionId'),
    answerTo: sql.placeholder('answerTo'),
    chunk: sql.placeholder('chunk'),
    nonce: sql.placeholder('nonce'),
    messageId: sql.placeholder('messageId'),
  };
  return {
    plan: db.insert(deliveries).values(values).onConflictDoNothing().prepare(),
    confirm: db
      .update(deliveries)
      .set({ messageId: sql`${values.messageId}` })
      .where(and(SESSION, eq(answerTo, values.answerTo), eq(chunk, values.chunk)))
      .prepare(),
    answeredBy: db
      .select({ answerTo })
      .from(deliveries)
      .where(and(SESSION, eq(messageId, values.messageId)))
      .prepare(),
  };
}

/**
 * Prepares the removal of stale deliveries: those of which neither question nor answer is stored. While a message of a session
 * is pending, all of its deliveries stay, since the answer that is being written has no row yet that could keep its own.
 */
export function prepareStaleDeliveries(db: Database) {
  const session = sql.placeholder('sessionId');
  const stored = sql`select 1 from messages where session_id = ${session} and platform_id = ${answerTo}`;
  const pending = sql`select 1 from messages where session_id = ${session} and state = 'pending'`;
  const stale = db
    .selectDistinct({ answerTo })
    .from(deliveries)
    .where(and(SESSION, sql`not exists (${stored})`, sql`not exists (${pending})`))
    .limit(limitOf(sql.placeholder('limit')))
    .prepare();
  return {
    exist: (id: string): boolean => stale.all({ sessionId: id, limit: 1 }).length > 0,
    /** Deletes those of at most `limit` answers; returns how many deliveries that were. */
    remove(id: string, limit: number): number {
      const answers = jsonList(stale.all({ sessionId: id, limit }).map((row) => row.answerTo));
      return db
        .delete(deliveries)
        .where(and(eq(sessionId, id), inList(answerTo, answers)))
        .run().changes;
    },
  };
}

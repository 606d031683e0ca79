import { and, asc, eq, gte, sql } from 'drizzle-orm';
import type { Delivery } from '../../conversation/deliveries.js';
import type { Message } from '../../conversation/message.js';
import type { Erased } from '../../conversation/store.js';
import { NOTHING_ERASED } from '../erased.js';
import type { Database } from './database.js';
import { limitOf } from './lists.js';
import type { Marks } from './marks.js';
import { toMessage } from './rows.js';
import { messages } from './schema.js';
import { deliveries } from './schema-community.js';
import type { Sessions } from './sessions.js';
import type { Span } from './span.js';

type Deps = { db: Database; sessions: Sessions; span: Span; marks: Marks };

/** Prepares what concerns deliveries. */
export function prepareDeliveries({ db, sessions, span, marks }: Deps) {
  const { sessionId, answerTo, chunk, messageId } = deliveries;
  const ofAnswer = and(eq(sessionId, sql.placeholder('sessionId')), eq(answerTo, sql.placeholder('answerTo')));
  const list = db.select().from(deliveries).where(ofAnswer).orderBy(asc(chunk)).prepare();
  const shown = db
    .select({ answerTo })
    .from(deliveries)
    .where(and(eq(sessionId, sql.placeholder('sessionId')), eq(messageId, sql.placeholder('messageId'))))
    .prepare();
  const pending = db
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.sessionId, sql.placeholder('sessionId')),
        sql`${messages.state} = 'pending'`,
        eq(messages.role, 'assistant'),
      ),
    )
    .orderBy(asc(messages.seq))
    .limit(limitOf(1))
    .prepare();
  const answerRow = (session: string, question: string) =>
    and(eq(messages.sessionId, session), eq(messages.platformId, question), eq(messages.role, 'assistant'));
  return {
    list: (session: string, question: string): Delivery[] => list.all({ sessionId: session, answerTo: question }),
    answeredBy: (session: string, message: string): string | null =>
      shown.get({ sessionId: session, messageId: message })?.answerTo ?? null,
    plan(delivery: Delivery): Delivery {
      db.insert(deliveries).values(delivery).onConflictDoNothing().run();
      return list.all(delivery).find((known) => known.chunk === delivery.chunk) ?? delivery;
    },
    confirm(session: string, question: string, index: number, message: string): void {
      const one = and(eq(sessionId, session), eq(answerTo, question), eq(chunk, index));
      db.update(deliveries).set({ messageId: message }).where(one).run();
    },
    dropFrom(session: string, question: string, index: number): void {
      const rest = and(eq(sessionId, session), eq(answerTo, question), gte(chunk, index));
      db.delete(deliveries).where(rest).run();
    },
    /** The answer that is stored and not delivered yet. */
    pendingAnswer(session: string): Message | null {
      const row = pending.get({ sessionId: session });
      return row === undefined ? null : toMessage(row);
    },
    eraseAnswer(session: string, question: string): Erased {
      const gone = db.select({ seq: messages.seq }).from(messages).where(answerRow(session, question)).all();
      if (gone.length === 0) return NOTHING_ERASED;
      const seqs = gone.map(({ seq }) => seq);
      span.remove(seqs);
      sessions.revise(session);
      return { ...NOTHING_ERASED, answers: seqs.length, ...marks.dirty(session, seqs) };
    },
    /** Lets go of the deliveries of a session, or of those whose answer is no longer stored. */
    drop(session: string): void {
      db.delete(deliveries).where(eq(sessionId, session)).run();
    },
  };
}

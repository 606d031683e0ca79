import { and, eq, sql } from 'drizzle-orm';
import type { Erased } from '../../conversation/store.js';
import { NOTHING_ERASED } from '../erased.js';
import type { Database } from './database.js';
import type { Marks } from './marks.js';
import { messages } from './schema.js';
import type { Sessions } from './sessions.js';
import type { Span } from './span.js';
import type { SummaryWrites } from './summary-writes.js';

/** What a forget must reach. */
export type ForgetDeps = { db: Database; sessions: Sessions; writes: SummaryWrites; span: Span; marks: Marks };

/** Erases all messages and summaries of a session and raises its epoch. */
export function forgetSession({ db, sessions, writes }: ForgetDeps, sessionId: string): Erased {
  const ours = eq(messages.sessionId, sessionId);
  const rows = sql<number>`count(*)`;
  const totals = db.select({ role: messages.role, rows }).from(messages).where(ours).groupBy(messages.role).all();
  const count = new Map(totals.map((total) => [total.role, total.rows]));
  db.delete(messages).where(ours).run();
  const summaries = writes.dropAll(sessionId);
  sessions.forget(sessionId);
  sessions.setSweptThrough(sessionId, 0);
  return { ...NOTHING_ERASED, messages: count.get('user') ?? 0, answers: count.get('assistant') ?? 0, summaries };
}

/** Erases what a person wrote in a session, the answers to it and quotes of it, and raises the epoch. */
export function forgetAuthor({ db, sessions, span, marks }: ForgetDeps, sessionId: string, authorId: string): Erased {
  const theirs = and(eq(messages.sessionId, sessionId), eq(messages.role, 'user'), eq(messages.authorId, authorId));
  const next = sql<
    number | null
  >`(select min(seq) from messages answer where answer.session_id = ${sessionId} and answer.role = 'assistant' and answer.seq > messages.seq)`;
  const answers = db
    .selectDistinct({ seq: next })
    .from(messages)
    .where(theirs)
    .all()
    .flatMap((row) => (row.seq === null ? [] : [row.seq]));
  const { seq, platformId, createdAt: at } = messages;
  const said = db.delete(messages).where(theirs).returning({ seq, platformId, at }).all();
  span.remove(answers);
  marks.bury(sessionId, said);
  const changed = [...said.map((row) => row.seq), ...answers, ...marks.unquoteAuthor(sessionId, authorId)];
  sessions.forget(sessionId);
  // Rows of this person that retention has deleted may live on in any summary.
  if (sessions.state(sessionId).sweptThrough > 0) changed.push(0);
  return { messages: said.length, answers: answers.length, summaries: 0, ...marks.dirty(sessionId, changed) };
}

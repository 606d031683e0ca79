import { and, eq, sql } from 'drizzle-orm';
import type { Erased } from '../../conversation/store.js';
import { NOTHING_ERASED } from '../erased.js';
import { allNames } from '../participants.js';
import type { Database } from './database.js';
import type { Marks } from './marks.js';
import type { Participants } from './participants.js';
import { messages } from './schema.js';
import type { Sessions } from './sessions.js';
import type { Span } from './span.js';
import type { SummaryWrites } from './summary-writes.js';

/** What a forget must reach. */
export type ForgetDeps = {
  db: Database;
  sessions: Sessions;
  participants: Participants;
  writes: SummaryWrites;
  span: Span;
  marks: Marks;
};

/** Erases all messages and summaries of a session, and who took part, and raises its epoch. */
export function forgetSession({ db, sessions, participants, writes }: ForgetDeps, sessionId: string): Erased {
  const ours = eq(messages.sessionId, sessionId);
  const rows = sql<number>`count(*)`;
  const totals = db.select({ role: messages.role, rows }).from(messages).where(ours).groupBy(messages.role).all();
  const count = new Map(totals.map((total) => [total.role, total.rows]));
  db.delete(messages).where(ours).run();
  const summaries = writes.dropAll(sessionId);
  participants.removeAll(sessionId);
  sessions.forget(sessionId);
  sessions.setSweptThrough(sessionId, 0);
  return { ...NOTHING_ERASED, messages: count.get('user') ?? 0, answers: count.get('assistant') ?? 0, summaries };
}

/** Erases what a person wrote in a session, the answers to it and quotes of it, and raises the epoch. */
export function forgetAuthor(
  { db, sessions, span, marks, participants }: ForgetDeps,
  sessionId: string,
  authorId: string,
): Erased {
  const { seq, platformId, createdAt: at, authorName: name } = messages;
  const theirs = and(eq(messages.sessionId, sessionId), eq(messages.role, 'user'), eq(messages.authorId, authorId));
  const said = db.delete(messages).where(theirs).returning({ seq, platformId, at, name }).all();
  said.sort((a, b) => a.seq - b.seq);
  const seqs = said.map((row) => row.seq);
  const answers = span.answersTo(sessionId, seqs);
  span.remove(answers);
  marks.bury(sessionId, said);
  const quoting = marks.unquoteAuthor(sessionId, authorId);
  const noted = participants.namesOf(sessionId, authorId);
  participants.remove(sessionId, authorId);
  sessions.forget(sessionId);
  const changed = [...seqs, ...answers, ...quoting.map((row) => row.seq)];
  // Rows of this person that retention has deleted may live on in any summary.
  if (noted !== null && sessions.state(sessionId).sweptThrough > 0) changed.push(0);
  const names = allNames(
    noted ?? '',
    [...said, ...quoting].map((row) => row.name ?? ''),
  );
  const counts = { messages: said.length, answers: answers.length, summaries: 0, names };
  return { ...counts, ...marks.dirty(sessionId, changed) };
}

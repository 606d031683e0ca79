import { and, eq, ne, sql } from 'drizzle-orm';
import { cleanText, type Message } from '../../conversation/message.js';
import type { Erased } from '../../conversation/store.js';
import { type Database, inList, jsonList } from './connection.js';
import type { Invalidation, TurnSpans } from './invalidation.js';
import { allNames, type Participants } from './people.js';
import { messages } from './schema.js';
import type { Sessions } from './sessions.js';
import { NOTHING_ERASED, type SummaryWrites } from './summaries.js';

type Deps = { db: Database; sessions: Sessions; span: TurnSpans; marks: Invalidation };
type Found = ReturnType<typeof find>[number];

/** Erases messages, the answers that lose their last question with them, and quotes; ids are buried, known or not. */
export function eraseMessages(
  { db, sessions, span, marks }: Deps,
  sessionId: string,
  platformIds: readonly string[],
  at: number,
): Erased {
  const rows = find(db, sessionId, platformIds);
  const said = rows.filter(({ role }) => role === 'user');
  const meant = answersMeant(rows, marks.tombstonesAmong(sessionId, platformIds));
  marks.addTombstones(
    sessionId,
    platformIds.map((platformId) => ({ platformId, at })),
  );
  const questions = said.filter(isQuestion).map(({ seq }) => seq);
  const touched = span.answersTo(sessionId, questions);
  span.remove(said.map(({ seq }) => seq));
  const orphans = touched.filter((seq) => !span.hasQuestion(sessionId, seq));
  const answers = [...new Set([...meant, ...orphans])];
  span.remove(answers);
  const quoting = marks.unquoteMessages(sessionId, platformIds);
  const changed = [...said.map(({ seq }) => seq), ...answers, ...quoting];
  if (changed.length > 0) sessions.revise(sessionId);
  return { ...NOTHING_ERASED, messages: said.length, answers: answers.length, ...marks.markDirty(sessionId, changed) };
}

function find(db: Database, sessionId: string, platformIds: readonly string[]) {
  const { seq, platformId, role, state } = messages;
  const named = and(eq(messages.sessionId, sessionId), inList(messages.platformId, jsonList(platformIds)));
  return db.select({ seq, platformId, role, state }).from(messages).where(named).all();
}

function isQuestion({ state }: Found): boolean {
  return state === 'answered' || state === 'pending';
}

/** An answer carries its trigger's id, so it is meant itself only when no question of that id is or was stored. */
function answersMeant(rows: readonly Found[], buried: ReadonlySet<string>): number[] {
  const questions = new Set(rows.filter(({ role }) => role === 'user').map(({ platformId }) => platformId));
  return rows
    .filter(({ role, platformId }) => role === 'assistant' && !questions.has(platformId) && !buried.has(platformId))
    .map(({ seq }) => seq);
}

/** Replaces what a person said, and what replies quote of it; true when anything was changed. */
export function editMessage(
  { db, sessions, marks }: { db: Database; sessions: Sessions; marks: Invalidation },
  sessionId: string,
  platformId: string,
  text: string,
): boolean {
  const clean = cleanText(text);
  const uncounted = { tokens: null, encoding: null };
  const seq = { seq: messages.seq };
  const ours = eq(messages.sessionId, sessionId);
  const said = and(ours, eq(messages.platformId, platformId), eq(messages.role, 'user'), ne(messages.text, clean));
  const quoting = and(ours, eq(messages.quotePlatformId, platformId), ne(messages.quoteText, clean));
  const changed = [
    ...db
      .update(messages)
      .set({ text: clean, ...uncounted })
      .where(said)
      .returning(seq)
      .all(),
    ...db
      .update(messages)
      .set({ quoteText: clean, ...uncounted })
      .where(quoting)
      .returning(seq)
      .all(),
  ].map((row) => row.seq);
  if (changed.length === 0) return false;
  marks.markDirty(sessionId, changed);
  sessions.revise(sessionId);
  return true;
}

/** What a forget must reach. */
type ForgetDeps = {
  db: Database;
  sessions: Sessions;
  participants: Participants;
  writes: SummaryWrites;
  span: TurnSpans;
  marks: Invalidation;
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
  marks.addTombstones(sessionId, said);
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
  return { ...counts, ...marks.markDirty(sessionId, changed) };
}

/**
 * The first of the rows that make up a turn, given what was said since the answer before it: its first question. Talk
 * that was only heard before that, and questions of an earlier turn that failed, do not belong to it.
 */
export function firstQuestion<T extends Pick<Message, 'state'>>(said: readonly T[]): T | undefined {
  return (
    said.find(({ state }) => state === 'answered' || state === 'pending') ??
    said.findLast(({ state }) => state === 'failed')
  );
}

/**
 * Erases the newest turn of a session, or a person's part in it, with its answer, and raises the epoch; nothing happens
 * when the person asked nothing in it.
 */
export function forgetLast({ sessions, span, marks }: ForgetDeps, sessionId: string, authorId: string | null): Erased {
  const { said, answers } = newestTurn(span, sessionId);
  const own = said.filter((row) => authorId === null || row.authorId === authorId);
  if (own.length === 0 && (authorId !== null || answers.length === 0)) return NOTHING_ERASED;
  const erased = [...own.map(({ seq }) => seq), ...answers];
  span.remove(erased);
  marks.addTombstones(sessionId, own);
  const quoting = marks.unquoteMessages(
    sessionId,
    own.map(({ platformId }) => platformId),
  );
  sessions.forget(sessionId);
  const dirty = marks.markDirty(sessionId, [...erased, ...quoting]);
  return { ...NOTHING_ERASED, messages: own.length, answers: answers.length, ...dirty };
}

function newestTurn(span: TurnSpans, sessionId: string) {
  const answer = span.answerBefore(sessionId, Number.MAX_SAFE_INTEGER);
  const since = span.saidBetween(sessionId, answer, Number.MAX_SAFE_INTEGER);
  const unanswered = firstQuestion(since);
  if (unanswered !== undefined) return { said: since.filter(({ seq }) => seq >= unanswered.seq), answers: [] };
  const before = span.saidBetween(sessionId, span.answerBefore(sessionId, answer), answer);
  const first = (firstQuestion(before) ?? before.at(-1))?.seq ?? 0;
  return { said: before.filter(({ seq }) => seq >= first), answers: answer === 0 ? [] : [answer] };
}

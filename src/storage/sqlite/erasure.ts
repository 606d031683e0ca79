import { and, eq, sql } from 'drizzle-orm';
import type { ConversationStore, DeliveryStore, Erased, SessionStore } from '../../conversation/store.js';
import { type Database, inList, jsonList } from './connection.js';
import type { StoreAccess } from './group-commit.js';
import { mergeNames } from './participants.js';
import { deliveries, messages, sessions as sessionRows } from './schema.js';
import { deleteSettingsAndOptOuts } from './settings.js';
import type { Statements } from './statements.js';
import { firstQuestion, isOpenOrAnswered } from './turn-questions.js';

export function erasureVerbs(
  statements: Statements,
  { write }: StoreAccess,
): Pick<ConversationStore, 'erase' | 'forgetSession' | 'forgetAuthor' | 'forgetLast'> &
  Pick<DeliveryStore, 'eraseAnswer'> &
  Pick<SessionStore, 'removeSession'> {
  const { sessions, cursor } = statements;
  const forget = (sessionId: string, run: () => Erased) =>
    write('forget', () => cursor.trackDeletion(sessionId, run), { erases: true });
  return {
    erase(sessionId, platformIds, at) {
      // Most messages that are deleted on a platform were never stored, and emptying the log costs far more than this check.
      const revision = () => sessions.state(sessionId).revision;
      let before = 0;
      const run = () => {
        before = revision();
        return cursor.trackDeletion(sessionId, () => eraseMessages(statements, sessionId, platformIds, at));
      };
      return write('erase', run, { erases: () => revision() !== before });
    },
    eraseAnswer: (sessionId, answerTo) =>
      write('erase', () => eraseAnswer(statements, sessionId, answerTo), { erases: true }),
    forgetSession: (sessionId) => forget(sessionId, () => forgetSession(statements, sessionId)),
    forgetAuthor: (sessionId, authorId) => forget(sessionId, () => forgetAuthor(statements, sessionId, authorId)),
    forgetLast: (sessionId, authorId) => forget(sessionId, () => forgetLast(statements, sessionId, authorId)),
    removeSession: (sessionId) => write('forget', () => removeSession(statements, sessionId), { erases: true }),
  };
}

/** The receipt of an erasure that found nothing. */
export const NOTHING_ERASED: Erased = {
  messages: 0,
  answers: 0,
  summaries: 0,
  dirtied: 0,
  unrebuildable: null,
  names: [],
};

/** Erases messages, answers that lose their last question, and quotes; a transaction must be open. */
export function eraseMessages(
  { db, sessions, turnRows, erasureEffects }: Statements,
  sessionId: string,
  platformIds: readonly string[],
  at: number,
): Erased {
  const rows = rowsOf(db, sessionId, platformIds);
  const userRows = rows.filter(({ role }) => role === 'user');
  const userSeqs = userRows.map(({ seq }) => seq);
  const named = answersNamed(rows, erasureEffects.tombstonesAmong(sessionId, platformIds));
  erasureEffects.addTombstones(
    sessionId,
    platformIds.map((platformId) => ({ platformId, at })),
  );
  const questions = userRows.filter(isOpenOrAnswered).map(({ seq }) => seq);
  const answersToThem = turnRows.answersTo(sessionId, questions);
  turnRows.remove(userSeqs);
  const orphans = answersToThem.filter((seq) => !turnRows.hasQuestion(sessionId, seq));
  const answers = [...new Set([...named, ...orphans])];
  turnRows.remove(answers);
  const quoting = erasureEffects.unquoteMessages(sessionId, platformIds);
  const changed = [...userSeqs, ...answers, ...quoting];
  if (changed.length > 0) sessions.raiseRevision(sessionId);
  const dirty = erasureEffects.markDirty(sessionId, changed);
  return { ...NOTHING_ERASED, messages: userRows.length, answers: answers.length, ...dirty };
}

function rowsOf(db: Database, sessionId: string, platformIds: readonly string[]) {
  const { seq, platformId, role, state } = messages;
  const named = and(eq(messages.sessionId, sessionId), inList(messages.platformId, jsonList(platformIds)));
  return db.select({ seq, platformId, role, state }).from(messages).where(named).all();
}

/** An answer carries its trigger's id, so that id names the answer only where no question has or had it. */
function answersNamed(rows: ReturnType<typeof rowsOf>, erasedBefore: ReadonlySet<string>): number[] {
  const questions = new Set(rows.filter(({ role }) => role === 'user').map(({ platformId }) => platformId));
  return rows
    .filter((row) => row.role === 'assistant' && !questions.has(row.platformId) && !erasedBefore.has(row.platformId))
    .map(({ seq }) => seq);
}

/** Erases the answer to a question, but not the question; a transaction must be open. */
export function eraseAnswer(
  { db, sessions, turnRows, erasureEffects }: Statements,
  sessionId: string,
  answerTo: string,
): Erased {
  const seqs = rowsOf(db, sessionId, [answerTo])
    .filter(({ role }) => role === 'assistant')
    .map(({ seq }) => seq);
  if (seqs.length === 0) return NOTHING_ERASED;
  turnRows.remove(seqs);
  sessions.raiseRevision(sessionId);
  return { ...NOTHING_ERASED, answers: seqs.length, ...erasureEffects.markDirty(sessionId, seqs) };
}

function forgetSession({ db, sessions, participants, summaries }: Statements, sessionId: string): Erased {
  const ours = eq(messages.sessionId, sessionId);
  const rows = sql<number>`count(*)`;
  const totals = db.select({ role: messages.role, rows }).from(messages).where(ours).groupBy(messages.role).all();
  const count = new Map(totals.map((total) => [total.role, total.rows]));
  db.delete(messages).where(ours).run();
  const dropped = summaries.dropAll(sessionId);
  participants.removeAll(sessionId);
  sessions.raiseEpoch(sessionId);
  sessions.setSweptThrough(sessionId, 0);
  const [user, assistant] = [count.get('user') ?? 0, count.get('assistant') ?? 0];
  return { ...NOTHING_ERASED, messages: user, answers: assistant, summaries: dropped };
}

function forgetAuthor(
  { db, sessions, turnRows, erasureEffects, participants }: Statements,
  sessionId: string,
  authorId: string,
): Erased {
  const { seq, platformId, createdAt: at, authorName: name } = messages;
  const theirs = and(eq(messages.sessionId, sessionId), eq(messages.role, 'user'), eq(messages.authorId, authorId));
  const erased = db.delete(messages).where(theirs).returning({ seq, platformId, at, name }).all();
  erased.sort((a, b) => a.seq - b.seq);
  const seqs = erased.map((row) => row.seq);
  const answers = turnRows.answersTo(sessionId, seqs);
  turnRows.remove(answers);
  erasureEffects.addTombstones(sessionId, erased);
  const quoting = erasureEffects.unquoteAuthor(sessionId, authorId);
  const knownNames = participants.namesOf(sessionId, authorId);
  participants.remove(sessionId, authorId);
  sessions.raiseEpoch(sessionId);
  const changed = [...seqs, ...answers, ...quoting.map((row) => row.seq)];
  // Any summary may cover rows of this person that retention has deleted.
  if (knownNames !== null && sessions.state(sessionId).sweptThrough > 0) changed.push(0);
  const names = mergeNames(
    knownNames ?? '',
    [...erased, ...quoting].map((row) => row.name ?? ''),
  );
  const counts = { messages: erased.length, answers: answers.length, summaries: 0, names };
  return { ...counts, ...erasureEffects.markDirty(sessionId, changed) };
}

function forgetLast(statements: Statements, sessionId: string, authorId: string | null): Erased {
  const { sessions, turnRows, erasureEffects } = statements;
  const { questions, answers } = newestTurn(statements, sessionId);
  const own = questions.filter((row) => authorId === null || row.authorId === authorId);
  if (own.length === 0 && (authorId !== null || answers.length === 0)) return NOTHING_ERASED;
  const erased = [...own.map(({ seq }) => seq), ...answers];
  turnRows.remove(erased);
  erasureEffects.addTombstones(sessionId, own);
  const quoting = erasureEffects.unquoteMessages(
    sessionId,
    own.map(({ platformId }) => platformId),
  );
  sessions.raiseEpoch(sessionId);
  const dirty = erasureEffects.markDirty(sessionId, [...erased, ...quoting]);
  return { ...NOTHING_ERASED, messages: own.length, answers: answers.length, ...dirty };
}

function newestTurn({ turnRows }: Statements, sessionId: string) {
  const answer = turnRows.answerBefore(sessionId, Number.MAX_SAFE_INTEGER);
  const since = turnRows.userRowsBetween(sessionId, answer, Number.MAX_SAFE_INTEGER);
  const unanswered = firstQuestion(since);
  if (unanswered !== undefined) return { questions: since.filter(({ seq }) => seq >= unanswered.seq), answers: [] };
  const before = turnRows.userRowsBetween(sessionId, turnRows.answerBefore(sessionId, answer), answer);
  const first = (firstQuestion(before) ?? before.at(-1))?.seq ?? 0;
  return { questions: before.filter(({ seq }) => seq >= first), answers: answer === 0 ? [] : [answer] };
}

function removeSession(statements: Statements, sessionId: string): void {
  const { db } = statements;
  forgetSession(statements, sessionId);
  const nothing = { serverId: null, parentId: null, addressed: false, goneThrough: null };
  db.update(sessionRows).set(nothing).where(eq(sessionRows.id, sessionId)).run();
  db.delete(deliveries).where(eq(deliveries.sessionId, sessionId)).run();
  deleteSettingsAndOptOuts(db, sessionId);
}

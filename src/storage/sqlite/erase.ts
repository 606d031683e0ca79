import { and, eq } from 'drizzle-orm';
import type { Erased } from '../../conversation/store.js';
import { NOTHING_ERASED } from '../erased.js';
import type { Database } from './database.js';
import { isAmong, listed } from './lists.js';
import type { Marks } from './marks.js';
import { messages } from './schema.js';
import type { Sessions } from './sessions.js';
import type { Span } from './span.js';

type Deps = { db: Database; sessions: Sessions; span: Span; marks: Marks };
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
  const meant = answersMeant(rows, marks.buried(sessionId, platformIds));
  marks.bury(
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
  return { ...NOTHING_ERASED, messages: said.length, answers: answers.length, ...marks.dirty(sessionId, changed) };
}

function find(db: Database, sessionId: string, platformIds: readonly string[]) {
  const { seq, platformId, role, state } = messages;
  const named = and(eq(messages.sessionId, sessionId), isAmong(messages.platformId, listed(platformIds)));
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

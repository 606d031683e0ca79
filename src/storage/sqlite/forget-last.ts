import type { Erased } from '../../conversation/store.js';
import { NOTHING_ERASED } from '../erased.js';
import { firstQuestion } from '../newest-turn.js';
import type { ForgetDeps } from './forget.js';
import type { Span } from './span.js';

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
  marks.bury(sessionId, own);
  const quoting = marks.unquoteMessages(
    sessionId,
    own.map(({ platformId }) => platformId),
  );
  sessions.forget(sessionId);
  const dirty = marks.dirty(sessionId, [...erased, ...quoting]);
  return { ...NOTHING_ERASED, messages: own.length, answers: answers.length, ...dirty };
}

function newestTurn(span: Span, sessionId: string) {
  const answer = span.answerBefore(sessionId, Number.MAX_SAFE_INTEGER);
  const since = span.saidBetween(sessionId, answer, Number.MAX_SAFE_INTEGER);
  const unanswered = firstQuestion(since);
  if (unanswered !== undefined) return { said: since.filter(({ seq }) => seq >= unanswered.seq), answers: [] };
  const before = span.saidBetween(sessionId, span.answerBefore(sessionId, answer), answer);
  const first = (firstQuestion(before) ?? before.at(-1))?.seq ?? 0;
  return { said: before.filter(({ seq }) => seq >= first), answers: answer === 0 ? [] : [answer] };
}

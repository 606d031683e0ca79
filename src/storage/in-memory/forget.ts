import type { Message, Quote } from '../../conversation/message.js';
import type { Erased } from '../../conversation/store.js';
import { NOTHING_ERASED } from '../erased.js';
import { firstQuestion } from '../newest-turn.js';
import { allNames } from '../participants.js';
import { answersTo, bury, markDirty, raiseEpoch, saidBefore, unquote } from './marks.js';
import { type Shelf, type Shelves, shelfFor, shelfOf, takeAway } from './shelves.js';

/** Erases all messages and summaries of a session, and who took part, and raises its epoch. */
export function forgetSession(shelves: Shelves, sessionId: string): Erased {
  const shelf = shelfFor(shelves, sessionId);
  const messages = shelf.messages.filter(({ role }) => role === 'user').length;
  const answers = shelf.messages.length - messages;
  const summaries = shelf.summaries.length;
  takeAway(shelf, () => true);
  shelf.authors.clear();
  Object.assign(shelf, { summaries: [], sweptThrough: 0 });
  raiseEpoch(shelf);
  return { ...NOTHING_ERASED, messages, answers, summaries };
}

/** Erases what a person wrote in a session, the answers to it and quotes of it, and raises the epoch. */
export function forgetAuthor(shelves: Shelves, sessionId: string, authorId: string): Erased {
  const shelf = shelfFor(shelves, sessionId);
  const said = shelf.messages.filter((message) => message.role === 'user' && message.authorId === authorId);
  const touched = answersTo(shelf, said);
  const answers = takeAway(shelf, ({ seq }) => touched.has(seq));
  const gone = new Set(said);
  takeAway(shelf, (message) => gone.has(message));
  bury(shelves, sessionId, said);
  const quotes = quotesOf(shelf, authorId);
  const quoting = unquote(shelf, (quote) => quote.authorId === authorId);
  const noted = shelf.authors.get(authorId);
  shelf.authors.delete(authorId);
  raiseEpoch(shelf);
  const swept = noted !== undefined && shelf.sweptThrough > 0 ? [{ seq: 0 }] : [];
  const dirty = markDirty(shelves, shelf, [...said, ...answers, ...quoting, ...swept]);
  const names = allNames(
    noted ?? '',
    [...said, ...quotes].map(({ authorName }) => authorName),
  );
  return { messages: said.length, answers: answers.length, summaries: 0, names, ...dirty };
}

/** Erases the newest turn, or a person's part in it, with its answer, and raises the epoch. */
export function forgetLast(shelves: Shelves, sessionId: string, authorId: string | null): Erased {
  const shelf = shelfOf(shelves, sessionId);
  const turn = newestTurn(shelf);
  const own = turn.said.filter((message) => authorId === null || message.authorId === authorId);
  if (own.length === 0 && (authorId !== null || turn.answer === undefined)) return NOTHING_ERASED;
  const answers = takeAway(shelf, (message) => message === turn.answer);
  const gone = new Set(own.map(({ seq }) => seq));
  takeAway(shelf, ({ seq }) => gone.has(seq));
  bury(shelves, sessionId, own);
  const ids = new Set(own.map(({ platformId }) => platformId));
  const quoting = unquote(shelf, ({ platformId }) => ids.has(platformId));
  raiseEpoch(shelf);
  const dirty = markDirty(shelves, shelf, [...own, ...answers, ...quoting]);
  return { ...NOTHING_ERASED, messages: own.length, answers: answers.length, ...dirty };
}

function newestTurn(shelf: Shelf): { said: Message[]; answer: Message | undefined } {
  const since = saidBefore(shelf, undefined);
  const unanswered = firstQuestion(since);
  if (unanswered !== undefined) return { said: since.filter(({ seq }) => seq >= unanswered.seq), answer: undefined };
  const answer = shelf.messages.findLast(({ role }) => role === 'assistant');
  const before = answer === undefined ? [] : saidBefore(shelf, answer);
  const first = (firstQuestion(before) ?? before.at(-1))?.seq ?? 0;
  return { said: before.filter(({ seq }) => seq >= first), answer };
}

function quotesOf(shelf: Shelf, authorId: string): Quote[] {
  return shelf.messages.flatMap(({ quote }) => (quote?.authorId === authorId ? quote : []));
}

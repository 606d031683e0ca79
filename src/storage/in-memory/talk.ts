import { cleanText, countedOf, type Message, type NewMessage, type TokenCount } from '../../conversation/message.js';
import type { Answer, Turn } from '../../conversation/store.js';
import { triggerOf } from '../../conversation/turn.js';
import { answerMessage, questionCounts } from '../turn.js';
import { atSeq, firstPending, holds, place, type Shelf, type Shelves, shelfFor, shelfOf, takeAway } from './shelves.js';

/** Stores a message once; null when it is stored already or was erased before it came. */
export function append(shelves: Shelves, message: NewMessage): Message | null {
  const { sessionId, platformId } = message;
  if (shelves.graves.get(sessionId)?.has(platformId)) return null;
  const shelf = shelfFor(shelves, sessionId);
  if (holds(shelf, message)) return null;
  shelves.lastSeq += 1;
  const stored = { ...clean(message), seq: shelves.lastSeq, tokens: null, encoding: null };
  place(shelf, stored);
  return stored;
}

/** Writes counts that follow their messages. */
export function saveCounts(shelves: Shelves, counts: readonly TokenCount[]): void {
  for (const { seq, tokens, encoding, of } of counts) {
    for (const shelf of shelves.bySession.values()) {
      const message = atSeq(shelf, seq);
      if (message === undefined) continue;
      const { text, quoteText } = countedOf(message);
      const same = of === undefined || (of.text === text && of.quoteText === quoteText);
      if (same) Object.assign(message, { tokens, encoding });
    }
  }
}

/** Takes what waits into a turn, and reserves the number of its answer. */
export function openTurn(shelves: Shelves, sessionId: string): Turn | null {
  const shelf = shelfOf(shelves, sessionId);
  const first = firstPending(shelf);
  const questions = shelf.messages.filter(({ role, seq }) => role === 'user' && seq >= first);
  if (questions.length === 0) return null;
  shelves.lastSeq += 1;
  return { sessionId, epoch: shelf.epoch, answerSeq: shelves.lastSeq, questions };
}

/** Stores an answer that is being delivered, in place of one that was not. */
export function storeAnswer(shelves: Shelves, turn: Turn, answer: Answer): Message | null {
  const shelf = shelfOf(shelves, turn.sessionId);
  const trigger = triggerOf(turn);
  if (trigger === undefined || turn.epoch !== shelf.epoch) return null;
  if (atSeq(shelf, trigger.seq)?.state !== 'pending') return null;
  const given = shelf.messages.find((row) => row.role === 'assistant' && row.platformId === trigger.platformId);
  if (given && given.state !== 'pending') return null;
  dropUndelivered(shelf, turn);
  const { tokens, encoding } = answer;
  const stored = { ...clean(answerMessage(trigger, answer)), seq: turn.answerSeq, tokens, encoding };
  place(shelf, stored);
  saveCounts(shelves, questionCounts(turn, answer.counts));
  return stored;
}

/** Marks questions and answer `answered`; false when the answer is gone. */
export function settleTurn(shelves: Shelves, { sessionId, answerSeq, questions }: Turn): boolean {
  const shelf = shelfOf(shelves, sessionId);
  settle(shelf, [...questions.map(({ seq }) => seq), answerSeq], 'answered');
  return atSeq(shelf, answerSeq)?.role === 'assistant';
}

/** Marks questions `failed` and drops an answer that was not delivered. */
export function failTurn(shelves: Shelves, turn: Turn): void {
  const shelf = shelfOf(shelves, turn.sessionId);
  dropUndelivered(shelf, turn);
  settle(
    shelf,
    turn.questions.map(({ seq }) => seq),
    'failed',
  );
}

function settle(shelf: Shelf, seqs: readonly number[], state: 'answered' | 'failed'): void {
  for (const seq of seqs) {
    const message = atSeq(shelf, seq);
    if (message && shelf.pending.delete(seq)) message.state = state;
  }
}

function dropUndelivered(shelf: Shelf, turn: Turn): void {
  const ids = [...turn.questions.map(({ platformId }) => platformId), turn.answerTo];
  takeAway(
    shelf,
    ({ role, state, platformId }) => role === 'assistant' && state === 'pending' && ids.includes(platformId),
  );
}

function clean(message: NewMessage): NewMessage {
  const { quote, text, authorName } = message;
  return {
    ...message,
    text: cleanText(text),
    authorName: cleanText(authorName),
    quote: quote && { ...quote, authorName: cleanText(quote.authorName), text: cleanText(quote.text) },
  };
}

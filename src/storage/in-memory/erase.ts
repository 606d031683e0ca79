import { cleanText, type Message } from '../../conversation/message.js';
import type { Erased } from '../../conversation/store.js';
import { answerAfter, bury, markDirty, saidBefore, unquote } from './marks.js';
import { type Shelves, shelfOf, takeAway } from './shelves.js';

/** Replaces what a person said, and what replies quote of it; true when anything was changed. */
export function edit(shelves: Shelves, sessionId: string, platformId: string, given: string): boolean {
  const shelf = shelfOf(shelves, sessionId);
  const text = cleanText(given);
  const said = shelf.messages.filter(
    (row) => row.role === 'user' && row.platformId === platformId && row.text !== text,
  );
  const quoting = shelf.messages.filter(({ quote }) => quote?.platformId === platformId && quote.text !== text);
  for (const message of said) message.text = text;
  for (const { quote } of quoting) if (quote) quote.text = text;
  const changed = [...said, ...quoting];
  for (const message of changed) Object.assign(message, { tokens: null, encoding: null });
  if (changed.length === 0) return false;
  markDirty(shelves, shelf, changed);
  shelf.revision += 1;
  return true;
}

/** Erases messages, the answers that lose their last question with them, and quotes; ids are buried, known or not. */
export function erase(shelves: Shelves, sessionId: string, platformIds: readonly string[], at: number): Erased {
  const shelf = shelfOf(shelves, sessionId);
  const graves = shelves.graves.get(sessionId);
  const buried = new Set(platformIds.filter((id) => graves?.has(id)));
  const named = shelf.messages.filter(({ platformId }) => platformIds.includes(platformId));
  const said = named.filter(({ role }) => role === 'user');
  const meant = named.filter(
    ({ role, platformId }) =>
      role === 'assistant' && !buried.has(platformId) && !said.some((row) => row.platformId === platformId),
  );
  const touched = said.filter(isQuestion).map((question) => answerAfter(shelf, question));
  bury(
    shelves,
    sessionId,
    platformIds.map((platformId) => ({ platformId, createdAt: at })),
  );
  takeAway(shelf, (message) => said.includes(message));
  const orphans = touched.filter((answer) => answer !== undefined && !saidBefore(shelf, answer).some(isQuestion));
  const answers = takeAway(shelf, (message) => meant.includes(message) || orphans.includes(message));
  const quoting = unquote(shelf, ({ platformId }) => platformIds.includes(platformId));
  const changed = [...said, ...answers, ...quoting];
  if (changed.length > 0) shelf.revision += 1;
  const dirty = markDirty(shelves, shelf, changed);
  return { messages: said.length, answers: answers.length, summaries: 0, ...dirty };
}

function isQuestion({ state }: Message): boolean {
  return state === 'answered' || state === 'pending';
}

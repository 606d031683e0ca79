import { cleanText, type Message } from '../../conversation/message.js';
import type { Erased } from '../../conversation/store.js';
import { NOTHING_ERASED } from '../erased.js';
import { answersTo, bury, markDirty, unquote } from './marks.js';
import { type Shelf, type Shelves, shelfOf, takeAway } from './shelves.js';

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
  const ids = new Set(platformIds);
  const named = shelf.messages.filter(({ platformId }) => ids.has(platformId));
  const said = named.filter(({ role }) => role === 'user');
  const asked = new Set(said.map(({ platformId }) => platformId));
  const meant = named.filter(
    ({ role, platformId }) => role === 'assistant' && !buried.has(platformId) && !asked.has(platformId),
  );
  const touched = answersTo(shelf, said.filter(isQuestion));
  bury(
    shelves,
    sessionId,
    platformIds.map((platformId) => ({ platformId, createdAt: at })),
  );
  const gone = new Set(said);
  takeAway(shelf, (message) => gone.has(message));
  const going = new Set([...meant, ...unasked(shelf, touched)]);
  const answers = takeAway(shelf, (message) => going.has(message));
  const quoting = unquote(shelf, ({ platformId }) => ids.has(platformId));
  const changed = [...said, ...answers, ...quoting];
  if (changed.length > 0) shelf.revision += 1;
  const dirty = markDirty(shelves, shelf, changed);
  return { ...NOTHING_ERASED, messages: said.length, answers: answers.length, ...dirty };
}

function isQuestion({ state }: Message): boolean {
  return state === 'answered' || state === 'pending';
}

/** Which of these answers have no question left. */
function unasked(shelf: Shelf, answers: ReadonlySet<number>): Message[] {
  let asked = false;
  return shelf.messages.filter((message) => {
    const alone = message.role === 'assistant' && !asked;
    if (message.role === 'assistant') asked = false;
    else if (isQuestion(message)) asked = true;
    return alone && answers.has(message.seq);
  });
}

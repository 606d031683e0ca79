import type { ImportedSummary } from '../../conversation/archive.js';
import { homeId } from '../../conversation/archive-ids.js';
import { cleanText, type NewMessage } from '../../conversation/message.js';
import { placedSummaries } from '../imported.js';
import { dropUseless, sortSummaries } from './folding.js';
import { type Shelves, shelfFor, shelfOf, shelfUnheardFrom } from './shelves.js';
import { append } from './talk.js';

/** Stores a conversation in a session that holds nothing; null when it holds anything. */
export function importSession(
  shelves: Shelves,
  sessionId: string,
  rows: readonly NewMessage[],
  given: readonly ImportedSummary[],
  heardUntil: number,
): number | null {
  const before = shelfOf(shelves, sessionId);
  if (before.messages.length > 0 || before.summaries.length > 0) return null;
  const shelf = shelfFor(shelves, sessionId);
  shelves.lastSeq += 1;
  const base = shelves.lastSeq;
  const graves = shelves.graves.get(sessionId);
  const stored = rows.map((row) => (graves?.has(homeId(row.platformId)) ? null : (append(shelves, row)?.seq ?? null)));
  for (const summary of placedSummaries(sessionId, given, stored, base)) {
    shelves.lastSummaryId += 1;
    shelf.summaries.push({ ...summary, text: cleanText(summary.text), id: shelves.lastSummaryId, dirty: false });
  }
  if (given.some(({ beyond }) => beyond)) shelf.sweptThrough = base;
  sortSummaries(shelf);
  dropUseless(shelf);
  if (shelfUnheardFrom(shelf) === null) shelf.goneThrough = heardUntil;
  shelf.revision += 1;
  return stored.filter((seq) => seq !== null).length;
}

import { cleanText } from '../../conversation/message.js';
import type { SweepCut } from '../../conversation/store.js';
import type { NewSummary, SummaryCheck } from '../../conversation/summary.js';
import { drawerOf } from './drawer.js';
import { newestSummary, watermarkAt } from './recall.js';
import { firstPending, type Shelf, type Shelves, shelfOf, takeAway } from './shelves.js';

/** Stores a summary if nothing that it was made from has changed; false when something has. */
export function saveSummary(shelves: Shelves, next: NewSummary, check: SummaryCheck): boolean {
  const shelf = shelfOf(shelves, next.sessionId);
  if (shelf.epoch !== check.epoch || shelf.revision !== check.revision) return false;
  const { summary: previous } = newestSummary(shelf);
  if ((previous?.id ?? null) !== check.previousId || (previous?.throughSeq ?? 0) > next.throughSeq) return false;
  if (firstPending(shelf) <= next.throughSeq) return false;
  shelves.bySession.set(next.sessionId, shelf);
  shelves.lastSummaryId += 1;
  shelf.summaries.push({ ...next, text: cleanText(next.text), id: shelves.lastSummaryId, dirty: false });
  sortSummaries(shelf);
  if (check.dropCovered) dropRows(shelf, ({ seq }) => seq <= next.throughSeq);
  dropUseless(shelf);
  return true;
}

/** Replaces a dirty summary's text, clean again; false when the epoch has moved on or that reading of it is gone. */
export function rewriteSummary(shelves: Shelves, id: number, next: NewSummary, epoch: number): boolean {
  const shelf = shelfOf(shelves, next.sessionId);
  const old = shelf.summaries.find((summary) => summary.id === id);
  if (shelf.epoch !== epoch || !old?.dirty) return false;
  Object.assign(old, next, { text: cleanText(next.text), dirty: false });
  sortSummaries(shelf);
  dropUseless(shelf);
  return true;
}

/** Drops a summary for good. */
export function dropSummary(shelves: Shelves, id: number): void {
  for (const shelf of shelves.bySession.values()) {
    shelf.summaries = shelf.summaries.filter((summary) => summary.id !== id);
  }
}

/** Deletes at most `limit` rows that retention no longer keeps, oldest first, and deliveries that nothing needs any more. */
export function sweep(shelves: Shelves, sessionId: string, cut: SweepCut, limit: number): number {
  const shelf = shelfOf(shelves, sessionId);
  const through = Math.max(watermarkAt(shelf, cut.coveredUntil), (cut.unreachedBelow ?? 0) - 1);
  const due = shelf.messages.filter(({ seq, state }) => seq <= through && state !== 'pending').slice(0, limit);
  const gone = new Set(due);
  dropRows(shelf, (message) => gone.has(message));
  if (due.length > 0) dropUseless(shelf);
  return due.length + dropSpentDeliveries(shelves, shelf, limit);
}

/**
 * Drops the deliveries of at most `limit` answers of which neither question nor answer is stored, and returns how many
 * that were. While something waits in a session all of its deliveries stay, since an answer in the making has no row yet.
 */
function dropSpentDeliveries(shelves: Shelves, shelf: Shelf, limit: number): number {
  if (shelf.pending.size > 0) return 0;
  const drawer = drawerOf(shelves);
  const stored = new Set(shelf.messages.map(({ platformId }) => platformId));
  const spent = drawer.deliveries.filter(
    ({ sessionId, answerTo }) => sessionId === shelf.session.id && !stored.has(answerTo),
  );
  const answers = new Set([...new Set(spent.map(({ answerTo }) => answerTo))].sort().slice(0, limit));
  const gone = new Set(spent.filter(({ answerTo }) => answers.has(answerTo)));
  drawer.deliveries = drawer.deliveries.filter((delivery) => !gone.has(delivery));
  return gone.size;
}

/** Puts summaries in order of their watermark. */
export function sortSummaries(shelf: Shelf): void {
  shelf.summaries.sort((a, b) => a.throughSeq - b.throughSeq || a.id - b.id);
}

function dropRows(shelf: Shelf, goes: Parameters<typeof takeAway>[1]): void {
  for (const { seq } of takeAway(shelf, goes)) shelf.sweptThrough = Math.max(shelf.sweptThrough, seq);
}

/** Drops dirty summaries below the newest clean one, and clean ones without a row between the two. */
export function dropUseless(shelf: Shelf): void {
  const { summary: newest } = newestSummary(shelf);
  if (newest === null) return;
  shelf.summaries = shelf.summaries.filter((summary) => {
    if (summary === newest || summary.throughSeq > newest.throughSeq) return true;
    const between = shelf.messages.some(({ seq }) => seq > summary.throughSeq && seq <= newest.throughSeq);
    return !summary.dirty && between;
  });
}

import { KeepsakeError } from '../conversation/errors.js';
import type { Session } from '../conversation/session.js';
import { foldOnce } from './fold.js';
import { nextFold } from './fold-order.js';
import type { Parts } from './parts.js';
import type { Windows } from './windows.js';

/** Folds that go stale because the session keeps changing are tried this often before they wait like failed ones. */
const STALE_LIMIT = 3;

/**
 * Folds until nothing is due, however many calls of the summariser that takes; resolves with the number of folds.
 * @throws {KeepsakeError} when the summariser failed, or the session kept changing; what was folded before that stays.
 */
export async function foldAll(
  parts: Parts,
  windows: Windows,
  session: Session,
  forced: boolean,
  signal: AbortSignal,
): Promise<number> {
  let folds = 0;
  let stale = 0;
  let goal = 0;
  while (!signal.aborted) {
    const order = await nextFold(parts, windows, session, forced, goal);
    if (order === null) break;
    const result = await foldOnce(parts, windows, order, signal);
    if (result === 'nothing') break;
    parts.meter?.count('folds', { outcome: result });
    goal = result === 'done' ? order.through : 0;
    if (result === 'done') folds += 1;
    else stale += 1;
    if (stale === STALE_LIMIT)
      throw new KeepsakeError('busy', 'The conversation changed while it was being summarised.');
  }
  return folds;
}

import type { Erased } from '../conversation/store.js';
import type { Summary } from '../conversation/summary.js';

/** The receipt of an erasure that found nothing. */
export const NOTHING_ERASED: Erased = {
  messages: 0,
  answers: 0,
  summaries: 0,
  dirtied: 0,
  unrebuildable: null,
  names: [],
};

/**
 * Whether the mark that an erasure left in the place of summaries can give way to one made from rows: no row that it covers
 * was deleted by retention, or a clean summary stands for all of those.
 */
export function isRebuildable(mark: Summary, clean: Summary | null, sweptThrough: number): boolean {
  return sweptThrough < mark.fromSeq || sweptThrough <= (clean?.throughSeq ?? 0);
}

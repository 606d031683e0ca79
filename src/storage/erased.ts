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
 * The newest dirty summary, if a rebuild from rows would lose what retention has deleted: no clean summary stands for
 * all of that.
 */
export function unrebuildable(summaries: readonly Summary[], sweptThrough: number): Summary | null {
  const dirty = highest(summaries.filter((summary) => summary.dirty));
  const clean = highest(summaries.filter((summary) => !summary.dirty));
  if (dirty === null || sweptThrough < dirty.fromSeq || sweptThrough <= (clean?.throughSeq ?? 0)) return null;
  return dirty;
}

function highest(summaries: readonly Summary[]): Summary | null {
  return summaries.reduce<Summary | null>((top, next) => (next.throughSeq < (top?.throughSeq ?? 0) ? top : next), null);
}

import type { ImportedSummary } from '../conversation/archive.js';
import type { NewSummary } from '../conversation/summary.js';

/**
 * Gives imported summaries their place: `stored` holds the numbers of the messages that came with them, null for one
 * that was left out, and `base` is a number before all of them. A summary over one that was left out is dropped.
 */
export function placedSummaries(
  sessionId: string,
  summaries: readonly ImportedSummary[],
  stored: readonly (number | null)[],
  base: number,
): NewSummary[] {
  const whole = stored.indexOf(null);
  return summaries
    .filter(({ covers }) => whole === -1 || covers <= whole)
    .map(({ covers, beyond: _, ...rest }) => ({
      ...rest,
      sessionId,
      fromSeq: base,
      throughSeq: covers === 0 ? base : (stored[covers - 1] ?? base),
    }));
}

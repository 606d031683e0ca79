import type { Limits, Used } from '../conversation/usage.js';

/** Whether so many tokens more stay within the limits of a day. */
export function isWithin(used: Used, tokens: number, limits: Limits): boolean {
  return (
    used.server + tokens <= (limits.server ?? Number.POSITIVE_INFINITY) &&
    used.person + tokens <= (limits.person ?? Number.POSITIVE_INFINITY)
  );
}

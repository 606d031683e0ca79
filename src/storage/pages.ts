import type { Reach } from '../conversation/history.js';

const USUAL = 64;
const LARGEST = 1024;

/** How many rows to read first: what the reach asks for, one to pass it and one to see that there is more. */
export function pageSize(reach: Reach): number {
  return Math.min((reach.messages ?? USUAL - 2) + 2, LARGEST);
}

/** How many rows to read when a page was not enough. */
export function nextPageSize(size: number): number {
  return Math.min(Math.max(size, USUAL) * 2, LARGEST);
}

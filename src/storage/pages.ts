import type { Reach } from '../conversation/history.js';

const USUAL = 64;
const LARGEST = 1024;
/** What a row is expected to weigh at least; where rows weigh less, a second page is read. */
const TOKENS_PER_ROW = 80;

/** How many rows to read first: what the reach asks for, one to pass it and one to see that there is more. */
export function pageSize({ messages, tokens }: Reach): number {
  const wanted = Math.min(messages ?? Number.POSITIVE_INFINITY, (tokens ?? Number.POSITIVE_INFINITY) / TOKENS_PER_ROW);
  return Number.isFinite(wanted) ? Math.min(Math.max(Math.ceil(wanted), 0) + 2, LARGEST) : USUAL;
}

/** How many rows to read when a page was not enough. */
export function nextPageSize(size: number): number {
  return Math.min(Math.max(size, USUAL) * 2, LARGEST);
}

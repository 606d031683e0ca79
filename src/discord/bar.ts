const CELLS = 12;

/** A bar of text that shows a share of a whole, full from the whole on. */
export function bar(part: number, whole: number): string {
  const filled = whole <= 0 ? 0 : Math.min(CELLS, Math.round((part / whole) * CELLS));
  return '█'.repeat(filled).padEnd(CELLS, '░');
}

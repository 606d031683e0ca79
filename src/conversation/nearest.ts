import { distance } from 'fastest-levenshtein';

/** The candidate that a mistyped word most probably means, or null when none is within `most` edits. */
export function closestMatch(word: string, candidates: readonly string[], most = 2): string | null {
  let best: string | null = null;
  let least = most + 1;
  for (const candidate of candidates) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best;
}

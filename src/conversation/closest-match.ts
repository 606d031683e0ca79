import { distance } from 'fastest-levenshtein';

/** Finds the candidate closest to a mistyped word, ignoring case; null when none is within `maxEdits`. */
export function closestMatch(word: string, candidates: readonly string[], maxEdits = 2): string | null {
  let closest: string | null = null;
  let fewestEdits = maxEdits + 1;
  for (const candidate of candidates) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < fewestEdits) [closest, fewestEdits] = [candidate, edits];
  }
  return closest;
}

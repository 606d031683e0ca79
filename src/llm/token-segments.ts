/** The longest run of code points that may reach the byte-pair encoder whole: its time is quadratic in the run. */
const MAX_RUN = 64;

/** Code units after which cut runs are no longer encoded but bounded by their bytes. */
const EXACT_LIMIT = 20_000;

/** Code units after which a segment ends at the next boundary that every vocabulary's pattern agrees on. */
const SEGMENT = 512;

/** UTF-8 bytes of U+FEFF, hence the most tokens it can be. */
const BOM_TOKENS = 3;

/**
 * Letters with their marks; digits, which every pattern cuts by three; all other characters with marks and white space,
 * because one piece of a pattern may alternate between these (`❤️❤️`, `/\n/\n`). U+FEFF stands alone.
 */
const RUN = /\p{L}[\p{L}\p{M}]{0,63}|\p{N}{1,63}|\uFEFF|[^\p{L}\p{N}\uFEFF]{1,64}/gu;
const LETTER_OR_DIGIT = /^[\p{L}\p{N}]/u;
const MARK_AT_END = /\p{M}$/u;

/** Encodes a text without any special tokens and returns how many tokens that makes. */
export type Encode = (text: string) => number;

/**
 * Counts a text step by step; yields the code units done since the last step, so that the caller can take turns, and
 * returns the count: never less than the vocabulary's own. Long texts have their unbroken runs bounded by their bytes.
 */
export function* countTokensInSteps(text: string, encode: Encode): Generator<number, number, void> {
  let tokens = BOM_TOKENS * (text.length - text.replaceAll('\uFEFF', '').length);
  let done = 0;
  for (const segment of segments(text)) {
    done += segment.text.length;
    if (!segment.cutsRun) tokens += encode(segment.text);
    else tokens += done > EXACT_LIMIT ? tokenUpperBound(segment.text) : encode(segment.text) + 1;
    yield segment.text.length;
  }
  return tokens;
}

/** The most tokens that a text can be in a byte-pair encoding: one for each UTF-8 byte. */
export function tokenUpperBound(text: string): number {
  return Buffer.byteLength(text);
}

/** A part of a text that is encoded by itself. `cutsRun`: it ends within a run, where a cut may change the count. */
type Segment = { text: string; cutsRun: boolean };

/**
 * Cuts a text, lazily, into segments whose counts add up to that of the whole text for ordinary prose and to no less
 * for any other. Unbroken runs are cut after `MAX_RUN` code points, never within a surrogate pair; U+FEFF is left out.
 */
function* segments(text: string): Generator<Segment, void, void> {
  let start = 0;
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const end = index + run.length;
    if (run === '\uFEFF') {
      if (index > start) yield { text: text.slice(start, index), cutsRun: false };
      start = end;
    } else if (run.length >= MAX_RUN && isFull(run)) {
      yield { text: text.slice(start, end), cutsRun: true };
      start = end;
    } else if (end - start >= SEGMENT && isBoundary(run, text[end])) {
      yield { text: text.slice(start, end), cutsRun: false };
      start = end;
    }
  }
  if (start < text.length) yield { text: text.slice(start), cutsRun: false };
}

function isFull(run: string): boolean {
  return [...run].length === MAX_RUN;
}

/** After letters or digits a new piece begins, except at contractions (`'s`) and, in cl100k, at marks before signs. */
function isBoundary(run: string, next: string | undefined): boolean {
  return LETTER_OR_DIGIT.test(run) && next !== "'" && !MARK_AT_END.test(run);
}

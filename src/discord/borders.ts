import type { Fence, FenceReader } from './fences.js';

/** Remembers where a chunk could end. */
export type Borders = {
  /** Tells of the border before the unit at `at`, which has not been pushed to the reader yet. */
  see(text: string, at: number, reader: FenceReader): void;
  /** Tells of the unit after it was pushed. */
  settle(unit: string, reader: FenceReader): void;
  /** The border to cut at, or null when only one between graphemes is left. */
  best(): number | null;
};

const CLOSING_PUNCTUATION = new Set('。！？；，、：…」』）】');
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Watches for borders in a chunk that begins at `start`: between paragraphs, before a line that is not indented,
 * between lines, between words. A worse kind is taken when the better would leave a quarter of the chunk empty.
 */
export function createBorders(start: number, limit: number): Borders {
  const [paragraph, line, indented] = [0, 1, 2];
  const lines = [start, start, start];
  let word = start;
  let pending: { at: number; fence: Fence } | null = null;

  const seeLine = (text: string, at: number, reader: FenceReader) => {
    const fence = reader.open();
    const next = text[at] as string;
    if (reader.justOpened() || next === '\n') return;
    // The line after this border may turn out to close the fence: then a cut here would leave an empty block.
    if (fence !== null) pending = { at, fence };
    else if (next.trim() === '') lines[indented] = at;
    else lines[text[at - 2] === '\n' ? paragraph : line] = at;
  };
  return {
    see(text, at, reader) {
      if (at === start) return;
      const last = text[at - 1] as string;
      if (last === '\n') seeLine(text, at, reader);
      else if (isWordEnd(last) && (text[at] as string).trim() !== '') word = at;
    },
    settle(unit, reader) {
      if (pending === null) return;
      if (unit !== '\n' && (unit === ' ' || unit === '\t' || unit === pending.fence.mark[0])) return;
      if (reader.open() !== null) lines[line] = pending.at;
      pending = null;
    },
    best() {
      const good = lines.find((at) => at - start >= (limit * 3) / 4);
      const any = good ?? Math.max(...lines);
      if (any > start) return any;
      return word - start >= limit / 2 ? word : null;
    },
  };
}

function isWordEnd(unit: string): boolean {
  return unit.trim() === '' || CLOSING_PUNCTUATION.has(unit);
}

/**
 * The last border between graphemes in a text before its last unit; inside the grapheme, but never inside a surrogate
 * pair, when the text is a single one.
 */
export function graphemeBorder(text: string): number {
  const last = text.length - 1;
  const unit = text.charCodeAt(last);
  // Half a pair at the end: what it will be, and whether it joins what stands before, is not known yet.
  const known = unit >= 0xd800 && unit < 0xdc00 ? last - 1 : last;
  const border = graphemes.segment(text).containing(known)?.index ?? 0;
  if (border > 0) return border;
  return /[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text) ? last - 1 : last;
}

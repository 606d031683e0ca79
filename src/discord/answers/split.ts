/** An open code fence: its mark (three or more backticks or tildes) and the language named after it, or ''. */
type Fence = { mark: string; language: string };

/** Reads a text unit by unit; between any two, the line under way counts as it stands, as if it ended there. */
type FenceReader = {
  push(unit: string): void;
  /** The fence that is open here. */
  open(): Fence | null;
  /** What must be added here so that no fence is open; '' when none is. */
  closing(): string;
  /** Whether the last whole line opened a fence, so that nothing of its code has been read. */
  justOpened(): boolean;
};

const MARKS_AT_LEAST = 3;
// Longer runs of marks and longer languages are taken as text, so that a reopened fence stays a short line.
const MARKS_AT_MOST = 32;
const LANGUAGE_AT_MOST = 32;

/** The most units that opening or closing a fence adds. */
const FENCE_UNITS_AT_MOST = MARKS_AT_MOST + LANGUAGE_AT_MOST + 1;

/** The line that opens a fence again. */
function openingLine({ mark, language }: Fence): string {
  return `${mark}${language}\n`;
}

type Line = { phase: 'start' | 'indent' | 'marks' | 'rest'; mark: string; count: number; info: string; blank: boolean };

const freshLine = (): Line => ({ phase: 'start', mark: '', count: 0, info: '', blank: true });

/**
 * Starts reading inside `before`, or outside of any fence. A line opens or closes a fence as CommonMark has it
 * (section "Fenced code blocks"), but with any indentation, since Discord knows no indented code.
 */
function createFenceReader(before: Fence | null): FenceReader {
  let settled = before;
  let fresh = false;
  let line = freshLine();
  const open = () => (line.count < MARKS_AT_LEAST ? settled : fenceAfter(settled, line));
  return {
    open,
    justOpened: () => fresh,
    push(unit) {
      if (unit !== '\n') return read(line, unit);
      const after = open();
      fresh = settled === null && after !== null;
      settled = after;
      line = freshLine();
    },
    closing() {
      const fence = open();
      if (fence === null) return '';
      if (line.phase === 'start') return fence.mark;
      const begun = settled !== null && line.phase === 'marks' && line.mark === fence.mark[0];
      return begun ? line.mark.repeat(fence.mark.length - line.count) : `\n${fence.mark}`;
    },
  };
}

function read(line: Line, unit: string): void {
  if (line.phase === 'start' || line.phase === 'indent') {
    const isMark = unit === '`' || unit === '~';
    line.phase = isMark ? 'marks' : unit === ' ' || unit === '\t' ? 'indent' : 'rest';
    if (isMark) line.mark = unit;
  } else if (line.phase === 'marks' && unit !== line.mark) {
    line.phase = 'rest';
  }
  if (line.phase === 'marks') line.count += 1;
  if (line.phase !== 'rest') return;
  if (unit.trim() !== '') line.blank = false;
  if (unit === '`' && line.mark === '`') line.count = 0;
  if (line.info.length <= 2 * LANGUAGE_AT_MOST) line.info += unit;
}

function fenceAfter(settled: Fence | null, { mark, count, info, blank }: Line): Fence | null {
  if (settled !== null) {
    return mark === settled.mark[0] && count >= settled.mark.length && blank ? null : settled;
  }
  if (count > MARKS_AT_MOST) return null;
  const language = info.trim().split(/\s/u)[0] ?? '';
  return { mark: mark.repeat(count), language: language.length > LANGUAGE_AT_MOST ? '' : language };
}

/** Remembers where a chunk could end. */
type Borders = {
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
function createBorders(start: number, limit: number): Borders {
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
function graphemeBorder(text: string): number {
  const last = text.length - 1;
  const unit = text.charCodeAt(last);
  // Half a pair at the end: what it will be, and whether it joins what stands before, is not known yet.
  const known = unit >= 0xd800 && unit < 0xdc00 ? last - 1 : last;
  const border = graphemes.segment(text).containing(known)?.index ?? 0;
  if (border > 0) return border;
  return /[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text) ? last - 1 : last;
}

/** Discord's limit of a message's text, in UTF-16 units. */
export const MESSAGE_LIMIT = 2_000;

/** Units a chunk may have (200 at least; 2,000 unless told), and how many chunks are wanted (all, unless told). */
type SplitOptions = { limit?: number; most?: number };

/**
 * A part of an answer as a message shows it. `text` begins with `opened` and ends with `closed` units that were added
 * to reopen and close a code fence; `before` and `after` are the white space around it, which Discord would strip.
 */
export type Chunk = { before: string; text: string; opened: number; closed: number; after: string };

/** The texts of an answer's messages, in order; see `cutAnswer`. */
export function splitAnswer(answer: string, options: SplitOptions = {}): string[] {
  return cutAnswer(answer, options).map(({ text }) => text);
}

/**
 * Cuts an answer into chunks that Discord shows unchanged: none is blank, none longer than the limit, none leaves a
 * code fence open. A line is cut only when it does not fit a chunk, then between words, else between graphemes. Once a
 * chunk has a successor it stays as it is, however the answer goes on. A blank answer has no chunk. Takes linear time.
 */
export function cutAnswer(
  answer: string,
  { limit = MESSAGE_LIMIT, most = Number.POSITIVE_INFINITY }: SplitOptions = {},
): Chunk[] {
  const chunks: Chunk[] = [];
  let at = 0;
  let fence: Fence | null = null;
  while (chunks.length < most && at < answer.length) {
    const start = fence === null ? afterBlank(answer, at) : at;
    if (start === answer.length) break;
    const cut = fill(answer, start, fence, limit);
    const { body, closing, next } = shown(answer, start, cut, fence);
    const opening = fence === null ? '' : openingLine(fence);
    const before = answer.slice(at, start);
    chunks.push({ before, text: opening + body + closing, opened: opening.length, closed: closing.length, after: '' });
    at = start + body.length;
    fence = next;
    if (cut === answer.length) break;
  }
  const last = chunks.at(-1);
  if (last !== undefined && chunks.length < most) last.after = answer.slice(at);
  return chunks;
}

/** The answer that all of its chunks were cut from. */
export function joinChunks(chunks: readonly Chunk[]): string {
  return chunks
    .map(({ before, text, opened, closed, after }) => before + text.slice(opened, text.length - closed) + after)
    .join('');
}

/**
 * Where the chunk that begins at `start` ends. The choice looks no further than the first unit that does not fit, so
 * that what comes later cannot change it.
 */
function fill(answer: string, start: number, fence: Fence | null, limit: number): number {
  const added = fence === null ? 0 : openingLine(fence).length;
  const reader = createFenceReader(fence);
  const borders = createBorders(start, limit);
  let solid = start;
  for (let at = start; at < answer.length; at += 1) {
    const unit = answer[at] as string;
    borders.see(answer, at, reader);
    reader.push(unit);
    borders.settle(unit, reader);
    if (unit.trim() !== '') solid = at + 1;
    if (added + at + 1 - start + FENCE_UNITS_AT_MOST <= limit) continue;
    const inside = reader.open() !== null;
    const units = inside ? at + 1 - start + reader.closing().length : solid - start;
    if (added + units > limit) {
      return Math.max(start + 1, borders.best() ?? start + graphemeBorder(answer.slice(start, at + 1)));
    }
  }
  return answer.length;
}

function shown(answer: string, start: number, end: number, fence: Fence | null) {
  const reader = createFenceReader(fence);
  for (let at = start; at < end; at += 1) reader.push(answer[at] as string);
  const next = reader.open();
  const body = answer.slice(start, end);
  return { body: next === null ? body.trimEnd() : body, closing: reader.closing(), next };
}

function afterBlank(answer: string, from: number): number {
  const blank = /\s*/uy;
  blank.lastIndex = from;
  blank.test(answer);
  return blank.lastIndex;
}

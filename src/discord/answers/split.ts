import { MESSAGE_LIMIT } from '../shared/format.js';

/** Units that a chunk may have (200 at least; 2,000 unless told), and how many chunks are wanted (all, unless told). */
type SplitOptions = { limit?: number; most?: number };

/**
 * Cuts an answer into the texts of its messages, which Discord shows unchanged: none is blank, none longer than the limit,
 * none leaves a code fence open. A line is cut only when it does not fit a chunk, then between words, else between graphemes.
 * Once a chunk has a successor it stays as it is, however the answer goes on. A blank answer has no chunk. Takes linear time.
 */
export function splitAnswer(
  answer: string,
  { limit = MESSAGE_LIMIT, most = Number.POSITIVE_INFINITY }: SplitOptions = {},
): string[] {
  const chunks: string[] = [];
  let at = 0;
  let fence: Fence | null = null;
  while (chunks.length < most && at < answer.length) {
    const start = fence === null ? afterBlank(answer, at) : at;
    if (start === answer.length) break;
    const end = chunkEnd(answer, start, fence, limit);
    const { body, closing, next } = readChunk(answer, start, end, fence);
    chunks.push((fence === null ? '' : openingLine(fence)) + body + closing);
    at = start + body.length;
    fence = next;
    if (end === answer.length) break;
  }
  return chunks;
}

/**
 * Where the chunk that begins at `start` ends. The choice looks no further than the first unit that does not fit, so
 * that what comes later cannot change it.
 */
function chunkEnd(answer: string, start: number, fence: Fence | null, limit: number): number {
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
    if (added + at + 1 - start + MAX_FENCE_UNITS <= limit) continue;
    const inside = reader.open() !== null;
    const units = inside ? at + 1 - start + reader.closing().length : solid - start;
    if (added + units > limit) {
      return Math.max(start + 1, borders.best() ?? start + graphemeBorder(answer.slice(start, at + 1)));
    }
  }
  return answer.length;
}

/** The chunk's own text, what closes a fence that it leaves open, and that fence. */
function readChunk(answer: string, start: number, end: number, fence: Fence | null) {
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

/** An open code fence: its mark (three or more backticks or tildes) and the language named after it, or ''. */
type Fence = { mark: string; language: string };

/** Reads a text unit by unit; between two units the present line counts as if it ended there. */
type FenceReader = {
  push(unit: string): void;
  /** The fence that is open here. */
  open(): Fence | null;
  /** What must be appended here to close the open fence; '' when none is open. */
  closing(): string;
  /** Whether the last whole line opened a fence, so that no code of it has been read. */
  justOpened(): boolean;
};

const MIN_MARKS = 3;
// Longer runs of marks and longer languages count as text, so that a reopened fence stays a short line.
const MAX_MARKS = 32;
const MAX_LANGUAGE = 32;

/** The most units that opening or closing a fence adds. */
const MAX_FENCE_UNITS = MAX_MARKS + MAX_LANGUAGE + 1;

/** The line that opens a fence again. */
function openingLine({ mark, language }: Fence): string {
  return `${mark}${language}\n`;
}

type Line = { phase: 'start' | 'indent' | 'marks' | 'rest'; mark: string; count: number; info: string; blank: boolean };

const emptyLine = (): Line => ({ phase: 'start', mark: '', count: 0, info: '', blank: true });

/**
 * Starts reading inside `before`, or outside of any fence. A line opens or closes a fence as CommonMark has it
 * (section "Fenced code blocks"), but with any indentation, since Discord knows no indented code.
 */
function createFenceReader(before: Fence | null): FenceReader {
  let confirmed = before;
  let opened = false;
  let line = emptyLine();
  const open = () => (line.count < MIN_MARKS ? confirmed : fenceAfter(confirmed, line));
  return {
    open,
    justOpened: () => opened,
    push(unit) {
      if (unit !== '\n') return readUnit(line, unit);
      const after = open();
      opened = confirmed === null && after !== null;
      confirmed = after;
      line = emptyLine();
    },
    closing() {
      const fence = open();
      if (fence === null) return '';
      if (line.phase === 'start') return fence.mark;
      const begun = confirmed !== null && line.phase === 'marks' && line.mark === fence.mark[0];
      return begun ? line.mark.repeat(fence.mark.length - line.count) : `\n${fence.mark}`;
    },
  };
}

function readUnit(line: Line, unit: string): void {
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
  if (line.info.length <= 2 * MAX_LANGUAGE) line.info += unit;
}

function fenceAfter(confirmed: Fence | null, { mark, count, info, blank }: Line): Fence | null {
  if (confirmed !== null) {
    return mark === confirmed.mark[0] && count >= confirmed.mark.length && blank ? null : confirmed;
  }
  if (count > MAX_MARKS) return null;
  const language = info.trim().split(/\s/u)[0] ?? '';
  return { mark: mark.repeat(count), language: language.length > MAX_LANGUAGE ? '' : language };
}

/** Finds where a chunk could end. */
type Borders = {
  /** To be called for the border before the unit at `at`, before that is pushed to the reader. */
  see(text: string, at: number, reader: FenceReader): void;
  /** To be called after the unit was pushed. */
  settle(unit: string, reader: FenceReader): void;
  /** The border to cut at; null when only one between graphemes is left. */
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
    // The next line may turn out to close the fence; then a cut here would leave an empty code block.
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
 * The last border between graphemes before the last unit of a text; for a text of a single grapheme a place inside it, but
 * never inside a surrogate pair.
 */
function graphemeBorder(text: string): number {
  const last = text.length - 1;
  const unit = text.charCodeAt(last);
  // Half a surrogate pair at the end: whether it will join the grapheme before is not known yet.
  const known = unit >= 0xd800 && unit < 0xdc00 ? last - 1 : last;
  const border = graphemes.segment(text).containing(known)?.index ?? 0;
  if (border > 0) return border;
  return /[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text) ? last - 1 : last;
}

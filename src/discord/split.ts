import { createBorders, graphemeBorder } from './borders.js';
import { createFenceReader, FENCE_UNITS_AT_MOST, type Fence, openingLine } from './fences.js';

/** Discord's limit of a message's text, in UTF-16 units. */
export const MESSAGE_LIMIT = 2_000;

/** Units a chunk may have (200 at least; 2,000 unless told), and how many chunks are wanted (all, unless told). */
export type SplitOptions = { limit?: number; most?: number };

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

import fc from 'fast-check';

/** An independent reading of CommonMark's fences: the mark that a text leaves open, or null. */
export function openMark(text: string): string | null {
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const [, mark = '', rest = ''] = /^[ \t]*(`+|~+)?(.*)$/s.exec(line) ?? [];
    if (open !== null) {
      if (mark.length >= open.length && mark[0] === open[0] && rest.trim() === '') open = null;
    } else if (mark.length >= 3 && mark.length <= 32 && !(mark[0] === '`' && rest.includes('`'))) {
      open = mark;
    }
  }
  return open;
}

/** Where a chunk's own text stands in the answer, from `start` to before `end`. */
export type Part = { start: number; end: number };

/**
 * Finds the parts of an answer that its chunks show, without the splitter's help: each chunk is a part, perhaps behind a line
 * that reopens a fence and before marks that close one, and between the parts there is nothing but white space. Null when
 * they are not the answer's.
 */
export function partsOf(answer: string, chunks: readonly string[]): Part[] | null {
  const failed = new Set<string>();
  const find = (index: number, at: number): Part[] | null => {
    const chunk = chunks[index];
    if (chunk === undefined) return afterBlank(answer, at) === answer.length ? [] : null;
    if (failed.has(`${index} ${at}`)) return null;
    const opening = /^(?:`{3,32}|~{3,32})\S{0,32}\n/u.exec(chunk)?.[0] ?? '';
    for (const opened of new Set([0, opening.length])) {
      for (const start of new Set([at, afterBlank(answer, at)])) {
        for (const end of endsOf(chunk)) {
          if (end <= opened || !answer.startsWith(chunk.slice(opened, end), start)) continue;
          const part = { start, end: start + end - opened };
          const others = find(index + 1, part.end);
          if (others !== null) return [part, ...others];
        }
      }
    }
    failed.add(`${index} ${at}`);
    return null;
  };
  return find(0, 0);
}

function afterBlank(text: string, from: number): number {
  const blank = /\s*/uy;
  blank.lastIndex = from;
  blank.test(text);
  return blank.lastIndex;
}

/** Where a chunk's own text may end: at its end, or before marks that close a fence. */
function endsOf(chunk: string): number[] {
  const [marks = ''] = /(?:`{1,32}|~{1,32})$/u.exec(chunk) ?? [];
  const ends = Array.from({ length: marks.length }, (_, i) => chunk.length - i - 1);
  const before = chunk.length - marks.length - 1;
  return [chunk.length, ...ends, ...(marks !== '' && chunk[before] === '\n' ? [before] : [])];
}

/** A family of four in one grapheme. */
export const family = '👩‍👩‍👧‍👦';

const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('\n', '\n\n', ' ', '  ', 'word', 'a', '- item\n', '  - nested\n', '| a | b |\n'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('```', '```js\n', '```\n', '\n```\n', '~~~', '~~~sh\n', '````md\n', '`', '``', '~'),
  },
  { weight: 2, arbitrary: fc.constantFrom(family, '🇩🇪', 'é', '中文。', 'ไทย', '\r\n', '\u200b', '\ud83d', '\ude00') },
  { weight: 1, arbitrary: fc.nat(300).map((count) => 'x'.repeat(count)) },
  { weight: 1, arbitrary: fc.nat(300).map((count) => ' '.repeat(count)) },
  { weight: 1, arbitrary: fc.nat(300).map((count) => 'const a = 1;\n'.repeat(Math.ceil(count / 10))) },
  { weight: 1, arbitrary: fc.string({ maxLength: 40, unit: 'binary' }) },
);
/** Answers with fences, lists, long runs and odd characters, up to some thousand units. */
export const answers = fc.array(piece, { maxLength: 120 }).map((pieces) => pieces.join(''));
/** Limits that make such answers several chunks. */
export const limits = fc.constantFrom(200, 333, 2000);

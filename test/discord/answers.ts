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

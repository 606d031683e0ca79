import fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { describe, expect, it } from 'vitest';
import { countTokensInSteps, tokenUpperBound } from '../../src/llm/token-segments.js';

const vocabularies = { o200k_base: new Tiktoken(o200k), cl100k_base: new Tiktoken(cl100k) };
const names = ['o200k_base', 'cl100k_base'] as const;

/** The vocabulary's own count, with special-token text as plain text. */
const own = (name: (typeof names)[number], text: string) => vocabularies[name].encode(text, [], []).length;

function count(text: string, encode: (text: string) => number): number {
  const steps = countTokensInSteps(text, encode);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The parts of a text that are encoded, each by itself. */
function segmentsOf(text: string): string[] {
  const encoded: string[] = [];
  count(text, (part) => {
    encoded.push(part);
    return tokenUpperBound(part);
  });
  return encoded;
}

const ours = (name: (typeof names)[number], text: string) => count(text, (part) => own(name, part));

const PROSE = [
  "I can't believe it's already Tuesday; we'll move the meeting to 15:30, won't we? That's what Ada's calendar says.",
  'Die Straßenbahn fährt um 7 Uhr 42 am Bahnhof ab, und wer zu spät kommt, läuft eben zu Fuß durch den Regen.',
  'L’été dernier, j’ai traversé les Alpes à vélo : 1 200 kilomètres, trois crevaisons et beaucoup de fromage.',
  '昨天我和朋友去了上海，看了一场电影，然后在外滩走了很久。晚上十点才回家，有点累，但是很开心。',
  '我們決定星期五下午三點開會，請大家準時參加，不要遲到喔！',
  '来週の火曜日に会議がありますので、資料を準備しておいてください。よろしくお願いします。',
  '다음 주 화요일에 회의가 있으니 자료를 준비해 주세요. 감사합니다.',
  'اجتماعنا يوم الثلاثاء في الساعة الثالثة والنصف، فلا تتأخروا من فضلكم.',
  'मंगलवार को साढ़े तीन बजे बैठक है, कृपया समय पर आइए और दस्तावेज़ साथ लाइए।',
  'Во вторник в половине четвёртого у нас встреча, пожалуйста, не опаздывайте.',
  'const total = rows.reduce((sum, row) => sum + row.tokens, 0); // see https://example.org/a?b=c&d=42#e\n\treturn total;\n',
  'Ping <@123456789012345678> in <#876543210987654321> 👍🏽 👨‍👩‍👧 🇨🇭 thanks :)',
];

const scripts = [
  ...['a', 'Z', 'é', '字', '的', 'の', '한', 'ก', 'ที่', 'क', 'ع', 'Ж', '7', '٣', ' ', '\n', '\t', '\r\n', '=', '/', '.'],
  ...[
    "'s",
    '😀',
    '❤️',
    '👨‍👩‍👧',
    '\u200b',
    '\u0301',
    '\ufeff',
    '\u0000',
    '\ud83d',
    '\ude00',
    '𠀀',
    'ha',
    '/\n',
    '<|endoftext|>',
    'word ',
  ],
];

const anyText = fc
  .array(
    fc.oneof(
      fc.tuple(fc.constantFrom(...scripts), fc.integer({ min: 1, max: 4 })),
      fc.tuple(fc.constantFrom(...scripts), fc.integer({ min: 60, max: 110 })),
      fc.tuple(fc.string({ unit: 'binary', maxLength: 12 }), fc.constant(1)),
    ),
    { maxLength: 4 },
  )
  .map((runs) => runs.map(([sign, times]) => sign.repeat(times)).join(''));

describe('counting in slices', () => {
  it.each(names)('counts prose of many scripts exactly as %s does', (name) => {
    for (const text of PROSE) expect([text, ours(name, text)]).toEqual([text, own(name, text)]);
  });

  it.each(names)('counts long prose exactly as %s does, across the boundaries of its segments', (name) => {
    for (const text of PROSE) {
      const long = `${text} `.repeat(20);
      expect(segmentsOf(long).length).toBeGreaterThan(1);
      expect([text, ours(name, long)]).toEqual([text, own(name, long)]);
    }
  });

  it.each(names)('never counts less than %s does', (name) => {
    const neverLess = (text: string) => {
      expect(ours(name, text)).toBeGreaterThanOrEqual(own(name, text));
    };
    fc.assert(fc.property(anyText, neverLess), { numRuns: 100 });
  });

  it.each(names)('never counts less than %s does where a cut saves tokens', (name) => {
    for (const text of [`${'='.repeat(194)}x`, 'z'.repeat(76), 'ha'.repeat(228), '\n'.repeat(130)]) {
      expect(ours(name, text)).toBeGreaterThanOrEqual(own(name, text));
    }
  });

  it('takes special-token text for plain text', () => {
    expect(ours('o200k_base', '<|endoftext|>')).toBe(own('o200k_base', '<|endoftext|>'));
    expect(ours('o200k_base', '<|endoftext|>')).toBeGreaterThan(1);
  });

  it('counts nothing in the empty text and something in NUL, lone surrogates and U+FEFF', () => {
    expect(ours('o200k_base', '')).toBe(0);
    for (const text of ['\0', '\ud83d', '\ude00', '\ufeff']) expect(ours('o200k_base', text)).toBeGreaterThan(0);
  });
});

describe('segments', () => {
  it('hold the whole text but for U+FEFF, in order', () => {
    const whole = (text: string) => {
      expect(segmentsOf(text).join('')).toBe(text.replaceAll('\ufeff', ''));
    };
    fc.assert(fc.property(anyText, whole));
  });

  it('hold no unbroken run longer than the limit, whatever it is made of', () => {
    const unbroken = /[\p{L}\p{M}]{129}|[^\p{L}\p{N}]{129}/u;
    for (const unit of ['字', '❤️', '/\n', ' ', 'ก็', `${'a'.repeat(64)}\u0301`, '=\u0301', '😀']) {
      for (const part of segmentsOf(unit.repeat(500))) expect(unbroken.test(part)).toBe(false);
    }
  });

  it('never cut a surrogate pair', () => {
    for (const part of segmentsOf(`x${'😀'.repeat(300)}`)) expect(part.isWellFormed()).toBe(true);
  });

  it('stay short, so that counting can take turns', () => {
    for (const part of segmentsOf('word, and word again; '.repeat(2_000))) expect(part.length).toBeLessThan(600);
  });
});

describe('long texts', () => {
  it('have their unbroken runs bounded by bytes instead of encoded', () => {
    const text = '字'.repeat(60_000);
    expect(segmentsOf(text).join('').length).toBeLessThanOrEqual(20_000);
    expect(ours('o200k_base', text)).toBeGreaterThanOrEqual(tokenUpperBound(text.slice(20_000)));
  });

  it('are still counted exactly where they are prose', () => {
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(1_000);
    expect(text.length).toBeGreaterThan(40_000);
    expect(ours('o200k_base', text)).toBe(own('o200k_base', text));
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CommandError } from '../../src/conversation/errors.js';
import { type Strategy, type StrategyName, strategySchema } from '../../src/conversation/settings.js';
import { describeStrategy, parseStrategy, STRATEGY_OPTIONS } from '../../src/memory/strategy-options.js';

/** A command's options. */
type Options = Record<string, number | string>;

/** The error with which options are refused; fails when they are accepted. */
function refusal(name: StrategyName, options: Options): CommandError {
  try {
    parseStrategy(name, options);
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
  throw new Error(`${name} ${JSON.stringify(options)} was accepted`);
}

/** Parses a canonical command text as a platform does. */
function parsed(text: string): Strategy {
  const [name, ...words] = text.split(' ');
  const options = words.map((word) => {
    const [key = '', value = ''] = word.split(':');
    return [key, /^\d+$/u.test(value) ? Number(value) : value] as const;
  });
  return parseStrategy(name as StrategyName, Object.fromEntries(options));
}

const between = (min: number, max: number) => fc.integer({ min, max });
const anyLimit = (unit: 'tokens' | 'messages', min: number, most: number) =>
  between(min, most).chain((max) => between(0, max - 1).map((keep) => ({ unit, max, keep })));

/** Every strategy over its whole ranges. */
const anyValidStrategy: fc.Arbitrary<Strategy> = fc.oneof(
  fc.record({ name: fc.constant('buffer' as const), maxTokens: between(100, 1_000_000) }),
  fc.record({ name: fc.constant('window' as const), k: between(0, 500), unit: fc.constantFrom('messages', 'turns') }),
  fc.record({ name: fc.constant('token-buffer' as const), maxTokens: between(100, 100_000) }),
  fc.record({ name: fc.constant('summary' as const), maxSummaryTokens: between(50, 2_000) }),
  fc.record({
    name: fc.constant('summary-buffer' as const),
    limit: fc.oneof(anyLimit('tokens', 100, 100_000), anyLimit('messages', 2, 500)),
    maxSummaryTokens: between(50, 2_000),
  }),
);

describe('the canonical text of a strategy', () => {
  it('is read back as the same strategy', () => {
    fc.assert(
      fc.property(anyValidStrategy, (strategy) => {
        expect(strategySchema.parse(strategy)).toEqual(strategy);
        expect(parsed(describeStrategy(strategy))).toEqual(strategy);
      }),
    );
  });
});

describe('defaults', () => {
  it.each<[StrategyName, Options, string]>([
    ['buffer', {}, 'buffer max_tokens:16000'],
    ['token-buffer', {}, 'token-buffer max_tokens:2000'],
    ['window', { k: 8 }, 'window k:8 unit:messages'],
    ['window', { k: 0, unit: 'turns' }, 'window k:0 unit:turns'],
    ['summary', {}, 'summary max_summary_tokens:400'],
    ['summary-buffer', {}, 'summary-buffer max_tokens:3000 keep_tokens:1500 max_summary_tokens:400'],
    [
      'summary-buffer',
      { max_summary_tokens: 50 },
      'summary-buffer max_tokens:3000 keep_tokens:1500 max_summary_tokens:50',
    ],
    ['summary-buffer', { max_tokens: 101 }, 'summary-buffer max_tokens:101 keep_tokens:50 max_summary_tokens:400'],
    ['summary-buffer', { keep_tokens: 0 }, 'summary-buffer max_tokens:3000 keep_tokens:0 max_summary_tokens:400'],
    ['summary-buffer', { max_messages: 7 }, 'summary-buffer max_messages:7 keep_messages:3 max_summary_tokens:400'],
    ['summary-buffer', { keep_messages: 5 }, 'summary-buffer max_messages:20 keep_messages:5 max_summary_tokens:400'],
  ])('%s %o is %s', (name, options, text) => {
    expect(describeStrategy(parseStrategy(name, options))).toBe(text);
  });
});

describe('refusals', () => {
  it.each<[string, StrategyName, Options, RegExp]>([
    ['k is required', 'window', {}, /^k must be .* from 0 to 500; say how many, as in k:8\.$/u],
    [
      'an unknown unit',
      'window',
      { k: 2, unit: 'pairs' },
      /^unit must be messages or turns; give a value that fits\.$/u,
    ],
    ['a unit that is a number', 'window', { k: 2, unit: 2 }, /unit/u],
    ['an option of another strategy', 'buffer', { k: 8 }, /^buffer has no option k; it takes max_tokens\.$/u],
    ['a name that every object has', 'buffer', { constructor: 1 }, /has no option constructor/u],
    ['tokens and messages together', 'summary-buffer', { max_tokens: 500, keep_messages: 2 }, /exclude each other/u],
    [
      'keep equal to max',
      'summary-buffer',
      { max_tokens: 500, keep_tokens: 500 },
      /^keep_tokens must be from 0 to 499/u,
    ],
    [
      'keep above the default max',
      'summary-buffer',
      { keep_tokens: 5_000 },
      /less than max_tokens \(3000\); lower it/u,
    ],
    ['keep above max in messages', 'summary-buffer', { max_messages: 4, keep_messages: 9 }, /^keep_messages must/u],
  ])('%s', (_, name, options, sentence) => {
    expect(refusal(name, options).message).toMatch(sentence);
  });

  it('every other input is refused as a bad option or gives a strategy that the store accepts', () => {
    const keys = fc.constantFrom(
      ...['k', 'unit', 'max_tokens', 'keep_tokens', 'max_messages', 'keep_messages', 'max_summary_tokens', 'scope'],
    );
    const values = fc.oneof(
      fc.integer({ min: -5, max: 600 }),
      fc.double(),
      fc.constantFrom('turns', 'messages', '', '7'),
    );
    const names = fc.constantFrom(...(Object.keys(STRATEGY_OPTIONS) as StrategyName[]));
    fc.assert(
      fc.property(names, fc.dictionary(keys, values, { maxKeys: 3 }), (name, options) => {
        try {
          expect(strategySchema.safeParse(parseStrategy(name, options)).success).toBe(true);
        } catch (error) {
          if (!(error instanceof CommandError)) throw error;
          expect(error.message.split('\n')).toHaveLength(1);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

const numbers = Object.entries(STRATEGY_OPTIONS).flatMap(([name, options]) =>
  Object.entries(options).flatMap(([key, option]) =>
    'min' in option ? [{ name: name as StrategyName, key, min: option.min, max: option.max }] : [],
  ),
);

/** What else must be given for an option's own range to be the only thing that is tested. */
function beside(key: string): Options {
  if (key === 'keep_tokens') return { max_tokens: 100_000 };
  if (key === 'keep_messages') return { max_messages: 500 };
  return {};
}

describe.each(numbers)('the range of $key under $name', ({ name, key, min, max }) => {
  const last = key.startsWith('keep_') ? max - 1 : max;

  it('holds at both ends', () => {
    for (const value of [min, last]) {
      const strategy = parseStrategy(name, { ...beside(key), [key]: value });
      expect(describeStrategy(strategy)).toContain(`${key}:${value}`);
    }
  });

  it('refuses what lies outside, and names the option, the range and the remedy', () => {
    const range = [min, max].map((bound) => bound.toLocaleString('en-US'));
    for (const value of [min - 1, max + 1, min + 0.5, Number.NaN, Number.POSITIVE_INFINITY, `${min}`, 'many']) {
      const error = refusal(name, { ...beside(key), [key]: value });
      expect(error.code).toBe('bad-option');
      expect(error.message).toBe(
        `${key} must be a whole number from ${range[0]} to ${range[1]}; give a value that fits.`,
      );
    }
  });

  it('is the range of the stored setting too', () => {
    const valid = parseStrategy(name, { ...beside(key), [key]: last });
    const changed = (value: number) => strategySchema.safeParse(withOption(valid, key, value)).success;
    expect([changed(min), changed(last), changed(min - 1), changed(max + 1)]).toEqual([true, true, false, false]);
  });
});

/** A strategy with one field replaced, named as the command names it. */
function withOption(strategy: Strategy, key: string, value: number): unknown {
  if (key === 'k') return { ...strategy, k: value };
  if (key === 'max_summary_tokens') return { ...strategy, maxSummaryTokens: value };
  if (strategy.name !== 'summary-buffer') return { ...strategy, maxTokens: value };
  const field = key.startsWith('keep_') ? { keep: value } : { max: value, keep: 0 };
  return { ...strategy, limit: { ...strategy.limit, ...field } };
}

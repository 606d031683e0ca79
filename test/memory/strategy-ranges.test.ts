import { describe, expect, it } from 'vitest';
import { type Strategy, type StrategyName, strategySchema } from '../../src/conversation/settings.js';
import { describeStrategy, parseStrategy, STRATEGY_OPTIONS } from '../../src/memory/strategy-options.js';
import { type Options, refusal } from './refusal.js';

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

  it('refuses what lies outside, and says the option, the range and the mend', () => {
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

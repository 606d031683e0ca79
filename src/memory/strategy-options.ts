import type { StrategyName } from '../conversation/settings.js';

/** A whole number that a strategy takes: its range, and its default, or null when another option decides or it is required. */
export type NumberOption = { min: number; max: number; fallback: number | null };

/** A choice among words that a strategy takes; the first is the default. */
export type ChoiceOption = { choices: readonly [string, ...string[]] };

const maxSummaryTokens = { min: 50, max: 2_000, fallback: 400 };

/** The options of each strategy's command, in the order of its canonical text; a test holds them to the schema. */
export const STRATEGY_OPTIONS = {
  buffer: { max_tokens: { min: 100, max: 1_000_000, fallback: 16_000 } },
  window: { k: { min: 0, max: 500, fallback: null }, unit: { choices: ['messages', 'turns'] } },
  'token-buffer': { max_tokens: { min: 100, max: 100_000, fallback: 2_000 } },
  summary: { max_summary_tokens: maxSummaryTokens },
  'summary-buffer': {
    max_tokens: { min: 100, max: 100_000, fallback: 3_000 },
    keep_tokens: { min: 0, max: 100_000, fallback: null },
    max_messages: { min: 2, max: 500, fallback: 20 },
    keep_messages: { min: 0, max: 500, fallback: null },
    max_summary_tokens: maxSummaryTokens,
  },
} as const satisfies Record<StrategyName, Record<string, NumberOption | ChoiceOption>>;

/** One option in words: its name and what it may be. */
export function optionRange(name: string, option: NumberOption | ChoiceOption): string {
  if ('choices' in option) return `${name} must be ${option.choices.join(' or ')}`;
  return `${name} must be a whole number from ${thousands(option.min)} to ${thousands(option.max)}`;
}

function thousands(value: number): string {
  return value.toLocaleString('en-US');
}

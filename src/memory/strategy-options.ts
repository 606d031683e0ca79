import { badOption } from '../conversation/errors.js';
import { type Strategy, type StrategyName, strategySchema } from '../conversation/settings.js';

/** An integer option: its range and default; null when the option is required or its default derives from another. */
export type NumberOption = { min: number; max: number; fallback: number | null };

/** An enumerated option; the first choice is the default. */
export type ChoiceOption = { choices: readonly [string, ...string[]] };

const maxSummaryTokens = { min: 50, max: 2_000, fallback: 400 };

/** The options of each strategy's command, in the order of its canonical text; a test compares them with the schema. */
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

type OptionInput = Readonly<Record<string, number | string>>;

/**
 * Builds a strategy from a command's options, with defaults for those left out.
 * @throws {CommandError} `bad-option`, in one sentence with the option, its range and the remedy.
 */
export function parseStrategy(name: StrategyName, options: OptionInput): Strategy {
  const knownOptions: Record<string, NumberOption | ChoiceOption> = STRATEGY_OPTIONS[name];
  for (const [key, value] of Object.entries(options)) checkOption(name, knownOptions, key, value);
  return strategySchema.parse(withDefaults(name, options));
}

/** Formats a strategy as its canonical command text, such as `window k:8 unit:messages`; parsing that gives the strategy back. */
export function describeStrategy(strategy: Strategy): string {
  switch (strategy.name) {
    case 'buffer':
    case 'token-buffer':
      return `${strategy.name} max_tokens:${strategy.maxTokens}`;
    case 'window':
      return `window k:${strategy.k} unit:${strategy.unit}`;
    case 'summary':
      return `summary max_summary_tokens:${strategy.maxSummaryTokens}`;
    case 'summary-buffer': {
      const { unit, max, keep } = strategy.limit;
      return `summary-buffer max_${unit}:${max} keep_${unit}:${keep} max_summary_tokens:${strategy.maxSummaryTokens}`;
    }
  }
}

function checkOption(
  name: StrategyName,
  knownOptions: Record<string, NumberOption | ChoiceOption>,
  key: string,
  value: number | string,
): void {
  const option = Object.hasOwn(knownOptions, key) ? knownOptions[key] : undefined;
  if (option === undefined) {
    throw badOption(`${name} has no option ${key}; it takes ${Object.keys(knownOptions).join(', ')}.`);
  }
  const fits =
    'choices' in option
      ? option.choices.some((choice) => choice === value)
      : typeof value === 'number' && Number.isInteger(value) && value >= option.min && value <= option.max;
  if (!fits) throw badOption(`${optionRange(key, option)}; give a value that fits.`);
}

function withDefaults(name: StrategyName, options: OptionInput): unknown {
  switch (name) {
    case 'buffer':
    case 'token-buffer':
      return { name, maxTokens: options.max_tokens ?? STRATEGY_OPTIONS[name].max_tokens.fallback };
    case 'window': {
      if (options.k === undefined)
        throw badOption(`${optionRange('k', STRATEGY_OPTIONS.window.k)}; say how many, as in k:8.`);
      return { name, k: options.k, unit: options.unit ?? STRATEGY_OPTIONS.window.unit.choices[0] };
    }
    case 'summary':
      return { name, maxSummaryTokens: summaryTokens(options) };
    case 'summary-buffer':
      return { name, limit: foldLimit(options), maxSummaryTokens: summaryTokens(options) };
  }
}

function summaryTokens(options: OptionInput): number | string {
  return options.max_summary_tokens ?? STRATEGY_OPTIONS.summary.max_summary_tokens.fallback;
}

function foldLimit(options: OptionInput): { unit: 'tokens' | 'messages'; max: number; keep: number } {
  const inTokens = options.max_tokens !== undefined || options.keep_tokens !== undefined;
  const inMessages = options.max_messages !== undefined || options.keep_messages !== undefined;
  if (inTokens && inMessages) {
    throw badOption('max_tokens/keep_tokens and max_messages/keep_messages exclude each other; give one pair.');
  }
  const unit = inMessages ? 'messages' : 'tokens';
  const max = Number(options[`max_${unit}`] ?? STRATEGY_OPTIONS['summary-buffer'][`max_${unit}`].fallback);
  const keep = Number(options[`keep_${unit}`] ?? Math.floor(max / 2));
  if (keep < max) return { unit, max, keep };
  throw badOption(
    `keep_${unit} must be from 0 to ${max - 1}, less than max_${unit} (${max}); lower it or raise max_${unit}.`,
  );
}

function optionRange(name: string, option: NumberOption | ChoiceOption): string {
  if ('choices' in option) return `${name} must be ${option.choices.join(' or ')}`;
  return `${name} must be a whole number from ${thousands(option.min)} to ${thousands(option.max)}`;
}

function thousands(value: number): string {
  return value.toLocaleString('en-US');
}

import { CommandError } from '../conversation/errors.js';
import { nearest } from '../conversation/nearest.js';
import { type Strategy, type StrategyName, strategySchema } from '../conversation/settings.js';
import { parseStrategy } from '../memory/strategy-input.js';
import { STRATEGY_OPTIONS } from '../memory/strategy-options.js';

/** What one call chose; null leaves it to what is set for the session, or to the default. */
export type CallSettings = { sessionId: string; strategy: Strategy | null; model: string | null };

const EXAMPLE = 'chain.invoke(input, { configurable: { sessionId: "ada", strategy: "window", k: 8 } })';

/**
 * Reads `configurable.{sessionId, strategy, k, model}`. `strategy` is a name, with the defaults of its command, or a
 * whole strategy; `k` alone means `window`.
 * @throws {CommandError} `bad-option`, in a sentence that names the mend and shows a call.
 */
export function readCallSettings(configurable: Readonly<Record<string, unknown>> | undefined): CallSettings {
  const { sessionId, strategy, k, model } = configurable ?? {};
  if (typeof sessionId !== 'string' || sessionId === '') {
    throw refuse(`\`configurable.sessionId\` is missing: say whose memory is meant, as in \`${EXAMPLE}\`.`);
  }
  if (model !== undefined && (typeof model !== 'string' || model === '')) {
    throw refuse(`\`configurable.model\` must be a model's name, as in \`model: "gpt-4o-mini"\`.`);
  }
  return { sessionId, strategy: readStrategy(strategy, k), model: model ?? null };
}

function readStrategy(strategy: unknown, k: unknown): Strategy | null {
  const given = k === undefined ? {} : { k: k as number };
  if (strategy === undefined) return k === undefined ? null : parseStrategy('window', given);
  if (typeof strategy === 'string') return parseStrategy(knownName(strategy), given);
  if (k !== undefined)
    throw refuse('`configurable.k` goes with the name of a strategy; put it into the strategy itself.');
  const parsed = strategySchema.safeParse(strategy);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = ['strategy', ...(issue?.path ?? [])].join('.');
  throw refuse(
    `\`configurable.${place}\` is wrong (${issue?.message ?? 'not valid'}); a name works too: \`${EXAMPLE}\`.`,
  );
}

function knownName(name: string): StrategyName {
  const names = Object.keys(STRATEGY_OPTIONS) as StrategyName[];
  const known = names.find((each) => each === name);
  if (known !== undefined) return known;
  const meant = nearest(name, names);
  const hint =
    meant === null ? `it is one of ${names.map((each) => `\`${each}\``).join(', ')}` : `did you mean \`${meant}\`?`;
  throw refuse(`\`configurable.strategy\` names no strategy; ${hint}`);
}

function refuse(sentence: string): CommandError {
  return new CommandError('bad-option', sentence);
}

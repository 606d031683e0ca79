import { closestMatch } from '../conversation/closest-match.js';
import { badOption } from '../conversation/errors.js';
import { type Strategy, type StrategyName, strategySchema } from '../conversation/settings.js';
import { parseStrategy, STRATEGY_OPTIONS } from '../memory/strategy-options.js';

/** The settings of one call; null leaves a setting to what is set for the session, or to the default. */
export type CallSettings = { sessionId: string; strategy: Strategy | null; model: string | null };

const EXAMPLE = 'chain.invoke(input, { configurable: { sessionId: "ada", strategy: "window", k: 8 } })';

/**
 * Reads `configurable.{sessionId, strategy, k, model}`. `strategy` is a name, with the defaults of its command, or a whole
 * strategy; `k` alone means `window`.
 * @throws {CommandError} `bad-option`, in a sentence that says what to do and shows a call.
 */
export function readCallSettings(configurable: Readonly<Record<string, unknown>> | undefined): CallSettings {
  const { sessionId, strategy, k, model } = configurable ?? {};
  if (typeof sessionId !== 'string' || sessionId === '') {
    throw badOption(`\`configurable.sessionId\` is missing: say whose memory is meant, as in \`${EXAMPLE}\`.`);
  }
  if (model !== undefined && (typeof model !== 'string' || model === '')) {
    throw badOption(`\`configurable.model\` must be a model's name, as in \`model: "gpt-4o-mini"\`.`);
  }
  return { sessionId, strategy: readStrategy(strategy, k), model: model ?? null };
}

function readStrategy(strategy: unknown, k: unknown): Strategy | null {
  const options = k === undefined ? {} : { k: k as number };
  if (strategy === undefined) return k === undefined ? null : parseStrategy('window', options);
  if (typeof strategy === 'string') return parseStrategy(strategyNamed(strategy), options);
  if (k !== undefined)
    throw badOption('`configurable.k` goes with the name of a strategy; put it into the strategy itself.');
  const parsed = strategySchema.safeParse(strategy);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = ['strategy', ...(issue?.path ?? [])].join('.');
  throw badOption(
    `\`configurable.${place}\` is wrong (${issue?.message ?? 'not valid'}); a name works too: \`${EXAMPLE}\`.`,
  );
}

function strategyNamed(name: string): StrategyName {
  const names = Object.keys(STRATEGY_OPTIONS) as StrategyName[];
  const exact = names.find((candidate) => candidate === name);
  if (exact !== undefined) return exact;
  const suggestion = closestMatch(name, names);
  const hint =
    suggestion === null
      ? `it is one of ${names.map((candidate) => `\`${candidate}\``).join(', ')}`
      : `did you mean \`${suggestion}\`?`;
  throw badOption(`\`configurable.strategy\` names no strategy; ${hint}`);
}

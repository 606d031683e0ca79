import { DEFAULT_STRATEGY, type Strategy } from '#dist/conversation/settings.js';

/** Every strategy as it is by default; `window`, which has none, at 20 messages. */
export const STRATEGIES: readonly Strategy[] = [
  { name: 'buffer', maxTokens: 16_000 },
  { name: 'window', k: 20, unit: 'messages' },
  { name: 'token-buffer', maxTokens: 2_000 },
  { name: 'summary', maxSummaryTokens: 400 },
  DEFAULT_STRATEGY,
];

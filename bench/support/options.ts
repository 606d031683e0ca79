import type { Dependencies } from '#dist/chatbot/dependencies.js';

/** The program's own defaults, without ceilings. */
export const OPTIONS: Dependencies['options'] = {
  defaultModel: 'instant',
  allowedModels: null,
  temperature: undefined,
  maxAnswerTokens: 1_000,
  retentionDays: 30,
  turnMs: 120_000,
  waitMs: 600_000,
  ceilings: { server: null, person: null },
  summaryInstructions: null,
  foldsAtOnce: 3,
  foldRetryMs: 30_000,
};

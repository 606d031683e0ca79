import type { History } from '../conversation/history.js';
import { type Budget, messageCost } from './budget.js';
import type { MemoryPlan } from './memory-plan.js';
import { newestWithin, trimToBudget } from './trim.js';

/** The newest stored messages that fit into `maxTokens`; no summary. */
export function planTokenBuffer(history: History, settings: { maxTokens: number }, budget: Budget): MemoryPlan {
  const weigh = (row: (typeof history.messages)[number]) => messageCost(row, budget.encoding);
  const from = newestWithin(history.messages, settings.maxTokens, weigh);
  return trimToBudget(history, { summary: null, from, foldThrough: null }, budget);
}

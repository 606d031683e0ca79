import type { History } from '../conversation/history.js';
import type { Budget } from './budget.js';
import { foldAll } from './fold.js';
import type { MemoryPlan } from './memory-plan.js';
import { trimToBudget } from './trim.js';

/** The summary and what is not folded yet; everything is to be folded, the newest turn too. */
export function planSummary(history: History, budget: Budget): MemoryPlan {
  return trimToBudget(history, { summary: history.summary, from: 0, foldThrough: foldAll(history) }, budget);
}

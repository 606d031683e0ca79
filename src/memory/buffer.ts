import type { History } from '../conversation/history.js';
import type { Budget } from './budget.js';
import type { MemoryPlan } from './memory-plan.js';
import { planTokenBuffer } from './token-buffer.js';

/** All that is stored, with a ceiling against surprise bills; it differs from the token buffer in its default only. */
export function planBuffer(history: History, settings: { maxTokens: number }, budget: Budget): MemoryPlan {
  return planTokenBuffer(history, settings, budget);
}

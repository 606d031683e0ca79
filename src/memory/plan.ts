import type { History, Reach } from '../conversation/history.js';
import type { Strategy } from '../conversation/settings.js';
import type { Budget } from './budget.js';
import { planBuffer } from './buffer.js';
import type { MemoryPlan } from './memory-plan.js';
import { planSummary } from './summary.js';
import { PENDING_FOLD_FACTOR, planSummaryBuffer } from './summary-buffer.js';
import { planTokenBuffer } from './token-buffer.js';
import { planWindow } from './window.js';

export type { MemoryPlan } from './memory-plan.js';

/** How far a plan looks for the beginning of a newest turn that is longer than its limit, so that a fold can spare it. */
const NEWEST_TURN_MESSAGES = 1_000;

/** Turns can be of any length where much is heard and little answered; what lies beyond so many messages fits no prompt. */
const LONGEST_TURNS = 10_000;

/** Decides what a prompt recalls of what precedes its question, and what is to be folded afterwards. */
export function planMemory(history: History, strategy: Strategy, budget: Budget): MemoryPlan {
  switch (strategy.name) {
    case 'buffer':
      return planBuffer(history, strategy, budget);
    case 'window':
      return planWindow(history, strategy, budget);
    case 'token-buffer':
      return planTokenBuffer(history, strategy, budget);
    case 'summary':
      return planSummary(history, budget);
    case 'summary-buffer':
      return planSummaryBuffer(history, strategy, budget);
  }
}

/** How much a store must load for the plan to be the same as with everything loaded. */
export function reachFor(strategy: Strategy, budget: Budget): Reach {
  const reach = reachable(strategy);
  if (strategy.name === 'summary-buffer') {
    const { unit, max } = strategy.limit;
    return { ...reach, [unit]: PENDING_FOLD_FACTOR * max, newestTurnWithin: NEWEST_TURN_MESSAGES };
  }
  return { ...reach, tokens: Math.min(reach.tokens ?? Number.POSITIVE_INFINITY, budget.room) };
}

/** How far back a strategy can ever look, whatever the budget; what lies before it may be swept. */
export function reachable(strategy: Strategy): Reach {
  switch (strategy.name) {
    case 'buffer':
    case 'token-buffer':
      return { summary: false, tokens: strategy.maxTokens };
    case 'window':
      if (strategy.unit === 'turns' && strategy.k > 0) {
        return { summary: false, turns: strategy.k, messages: LONGEST_TURNS };
      }
      return { summary: false, messages: strategy.k };
    case 'summary':
    case 'summary-buffer':
      return { summary: true };
  }
}

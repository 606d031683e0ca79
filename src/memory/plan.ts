import type { History, Reach } from '../conversation/history.js';
import type { Message } from '../conversation/message.js';
import type { Strategy } from '../conversation/settings.js';
import {
  type Budget,
  type MemoryPlan,
  messageCost,
  SUMMARY_SECTION_TOKENS,
  startOfNewestTurns,
  startOfNewestWithin,
  startsTurn,
  trimToBudget,
} from './budget.js';
import { type FoldLimit, foldAllThrough, foldDownThrough } from './fold-range.js';

export type { MemoryPlan } from './budget.js';

/** While a fold is pending, a reply may carry up to this multiple of `max`. */
const PENDING_FOLD_FACTOR = 2;

/** A plan looks this far for the start of a newest turn that is longer than its limit, since a fold leaves that turn live. */
const NEWEST_TURN_MESSAGES = 1_000;

/** Turns can be of any length where much is stored and little answered; what lies beyond so many messages fits no prompt. */
const LONGEST_TURNS = 10_000;

/** Decides what a prompt recalls of the history before its question, and what is to be folded afterwards. */
export function planMemory(history: History, strategy: Strategy, budget: Budget): MemoryPlan {
  switch (strategy.name) {
    // They differ in their default only: under `buffer` the limit is a ceiling against surprise bills.
    case 'buffer':
    case 'token-buffer':
      return planTokenBuffer(history, strategy, budget);
    case 'window':
      return planWindow(history, strategy, budget);
    case 'summary':
      return planSummary(history, budget);
    case 'summary-buffer':
      return planSummaryBuffer(history, strategy, budget);
  }
}

/** Bounds what a store must load for the plan to be the same as with everything loaded. */
export function reachFor(strategy: Strategy, budget: Budget): Reach {
  const reach = maxReach(strategy);
  if (strategy.name === 'summary-buffer') {
    const { unit, max } = strategy.limit;
    return { ...reach, [unit]: PENDING_FOLD_FACTOR * max, newestTurnWithin: NEWEST_TURN_MESSAGES };
  }
  return { ...reach, tokens: Math.min(reach.tokens ?? Number.POSITIVE_INFINITY, budget.tokensLeft) };
}

/** Bounds how far back a strategy can ever look, whatever the budget; retention may delete what lies before it. */
export function maxReach(strategy: Strategy): Reach {
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

function planTokenBuffer(history: History, settings: { maxTokens: number }, budget: Budget): MemoryPlan {
  const from = startOfNewestWithin(history.messages, settings.maxTokens, (row) => messageCost(row, budget.encoding));
  return trimToBudget(history, { summary: null, from, foldThrough: null }, budget);
}

function planSummary(history: History, budget: Budget): MemoryPlan {
  return trimToBudget(history, { summary: history.summary, from: 0, foldThrough: foldAllThrough(history) }, budget);
}

type SummaryBuffer = Extract<Strategy, { name: 'summary-buffer' }>;

/**
 * What passes `max` is folded down to `keep`. Until the fold is done the newest whole turns within twice `max` are sent; of
 * a turn that is larger than that alone, its newest messages.
 */
function planSummaryBuffer(history: History, settings: SummaryBuffer, budget: Budget): MemoryPlan {
  const { unit, max, keep } = settings.limit;
  const cost = (row: Message) => messageCost(row, budget.encoding);
  const weigh = unit === 'messages' ? () => 1 : cost;
  const rows = history.messages;
  const within = startOfNewestWithin(rows, PENDING_FOLD_FACTOR * max, weigh);
  let from = within;
  while (from > 0 && from < rows.length && !startsTurn(rows, from)) from += 1;
  if (from === rows.length) from = within;
  const limits = [{ trigger: max, keep, weigh }, ...budgetLimit(settings, budget, cost)];
  const foldThrough = foldDownThrough(history, limits);
  return trimToBudget(history, { summary: history.summary, from, foldThrough }, budget);
}

/**
 * A context window too small for `max` would leave live messages out of both prompt and summary; what does not fit beside
 * a full summary is therefore folded too, down to half of that.
 */
function budgetLimit(settings: SummaryBuffer, budget: Budget, weigh: FoldLimit['weigh']): FoldLimit[] {
  const besideSummary = budget.tokensLeft - settings.maxSummaryTokens - SUMMARY_SECTION_TOKENS;
  return besideSummary > 0 ? [{ trigger: besideSummary, keep: Math.floor(besideSummary / 2), weigh }] : [];
}

function planWindow(history: History, settings: { k: number; unit: 'messages' | 'turns' }, budget: Budget): MemoryPlan {
  const rows = history.messages;
  const from = settings.unit === 'turns' ? startOfNewestTurns(rows, settings.k) : Math.max(0, rows.length - settings.k);
  return trimToBudget(history, { summary: null, from, foldThrough: null }, budget);
}

import type { History, Reach } from '../conversation/history.js';
import type { Message } from '../conversation/message.js';
import type { Strategy } from '../conversation/settings.js';
import {
  type Budget,
  type MemoryPlan,
  messageCost,
  newestTurns,
  newestWithin,
  SUMMARY_SECTION_TOKENS,
  startsTurn,
  trimToBudget,
} from './budget.js';
import { type FoldLimit, foldAll, foldDown } from './fold.js';

export type { MemoryPlan } from './budget.js';

/** The newest stored messages that fit into `maxTokens`; no summary. */
function planTokenBuffer(history: History, settings: { maxTokens: number }, budget: Budget): MemoryPlan {
  const weigh = (row: (typeof history.messages)[number]) => messageCost(row, budget.encoding);
  const from = newestWithin(history.messages, settings.maxTokens, weigh);
  return trimToBudget(history, { summary: null, from, foldThrough: null }, budget);
}

/** All that is stored, with a ceiling against surprise bills; it differs from the token buffer in its default only. */
function planBuffer(history: History, settings: { maxTokens: number }, budget: Budget): MemoryPlan {
  return planTokenBuffer(history, settings, budget);
}

/** The summary and what is not folded yet; everything is to be folded, the newest turn too. */
function planSummary(history: History, budget: Budget): MemoryPlan {
  return trimToBudget(history, { summary: history.summary, from: 0, foldThrough: foldAll(history) }, budget);
}

/** How often `max` a reply may carry while a fold is pending. */
const PENDING_FOLD_FACTOR = 2;

type Settings = Omit<Extract<Strategy, { name: 'summary-buffer' }>, 'name'>;

/**
 * The summary and the live messages; what passes `max` is folded down to `keep`. Until the fold is done the newest whole
 * turns within twice `max` are sent; of a turn that is larger than that alone, its newest messages.
 */
function planSummaryBuffer(history: History, settings: Settings, budget: Budget): MemoryPlan {
  const { unit, max, keep } = settings.limit;
  const cost = (row: Message) => messageCost(row, budget.encoding);
  const weigh = unit === 'messages' ? () => 1 : cost;
  const rows = history.messages;
  const within = newestWithin(rows, PENDING_FOLD_FACTOR * max, weigh);
  let from = within;
  while (from > 0 && from < rows.length && !startsTurn(rows, from)) from += 1;
  if (from === rows.length) from = within;
  const limits = [{ trigger: max, keep, weigh }, ...budgetLimit(settings, budget, cost)];
  const foldThrough = foldDown(history, limits);
  return trimToBudget(history, { summary: history.summary, from, foldThrough }, budget);
}

/**
 * A window too small for `max` would leave live messages out of both prompt and summary; what does not fit beside a full
 * summary is therefore folded too, down to half of that.
 */
function budgetLimit(settings: Settings, budget: Budget, weigh: FoldLimit['weigh']): FoldLimit[] {
  const beside = budget.room - settings.maxSummaryTokens - SUMMARY_SECTION_TOKENS;
  return beside > 0 ? [{ trigger: beside, keep: Math.floor(beside / 2), weigh }] : [];
}

/** The newest k stored messages, or answered turns with the talk after them; no summary. */
function planWindow(history: History, settings: { k: number; unit: 'messages' | 'turns' }, budget: Budget): MemoryPlan {
  const rows = history.messages;
  const from = settings.unit === 'turns' ? newestTurns(rows, settings.k) : Math.max(0, rows.length - settings.k);
  return trimToBudget(history, { summary: null, from, foldThrough: null }, budget);
}

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

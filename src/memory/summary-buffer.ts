import type { History } from '../conversation/history.js';
import type { Message } from '../conversation/message.js';
import type { Strategy } from '../conversation/settings.js';
import { type Budget, messageCost, SUMMARY_SECTION_TOKENS } from './budget.js';
import { type FoldLimit, foldDown } from './fold.js';
import type { MemoryPlan } from './memory-plan.js';
import { newestWithin, trimToBudget } from './trim.js';
import { startsTurn } from './turns.js';

/** How often `max` a reply may carry while a fold is pending. */
export const PENDING_FOLD_FACTOR = 2;

type Settings = Omit<Extract<Strategy, { name: 'summary-buffer' }>, 'name'>;

/**
 * The summary and the live messages; what passes `max` is folded down to `keep`. Until the fold is done the newest whole
 * turns within twice `max` are sent; of a turn that is larger than that alone, its newest messages.
 */
export function planSummaryBuffer(history: History, settings: Settings, budget: Budget): MemoryPlan {
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

import type { History } from '../conversation/history.js';
import type { Message } from '../conversation/message.js';
import type { Summary } from '../conversation/summary.js';
import { type Budget, messageCost, summaryCost } from './budget.js';
import type { MemoryPlan } from './memory-plan.js';
import { withoutOrphans } from './turns.js';

/** What a strategy wants to send: a summary, and the messages from an index on. */
type Wanted = { summary: Summary | null; from: number; foldThrough: number | null };

/** The index from which the newest rows weigh at most `limit` together; it stops at the first that does not fit. */
export function newestWithin(rows: readonly Message[], limit: number, weigh: (row: Message) => number): number {
  let left = limit;
  let index = rows.length;
  while (index > 0) {
    const row = rows[index - 1];
    if (row === undefined) break;
    left -= weigh(row);
    if (left < 0) break;
    index -= 1;
  }
  return index;
}

/**
 * The law of budget, applied last under every strategy: drops the oldest messages until all fits, and a summary that
 * does not fit alone; then answers that were left without a question.
 */
export function trimToBudget(history: History, wanted: Wanted, budget: Budget): MemoryPlan {
  const rows = history.messages;
  const cost = wanted.summary === null ? 0 : summaryCost(wanted.summary, budget.encoding);
  const summary = cost <= budget.room ? wanted.summary : null;
  const room = summary === null ? budget.room : budget.room - cost;
  const affordable = newestWithin(rows, room, (row) => messageCost(row, budget.encoding));
  const from = withoutOrphans(rows, Math.max(wanted.from, affordable));
  const cutByBudget = affordable > wanted.from || summary !== wanted.summary;
  const cutByStrategy = from > 0 || !history.complete;
  return {
    summary,
    messages: rows.slice(from),
    foldThrough: wanted.foldThrough,
    limitedBy: cutByBudget ? 'budget' : cutByStrategy ? 'strategy' : null,
  };
}

import type { History } from '../../src/conversation/history.js';
import type { Message } from '../../src/conversation/message.js';
import type { Strategy } from '../../src/conversation/settings.js';
import { type Budget, messageCost, SUMMARY_SECTION_TOKENS, summaryCost } from '../../src/memory/budget.js';

/**
 * The table of strategies and the rules, written down as a search over all suffixes: slow, and with nothing in common
 * with the planner but the costs.
 */
export function expectedPlan(history: History, strategy: Strategy, budget: Budget) {
  const cost = (list: Message[]) => list.reduce((sum, each) => sum + messageCost(each, budget.encoding), 0);
  const all = history.messages;
  const suffixes = [...all.keys(), all.length].map((from) => all.slice(from));
  const reads = strategy.name === 'summary' || strategy.name === 'summary-buffer';
  const wantedSummary = reads ? history.summary : null;
  const summaryTokens = wantedSummary === null ? 0 : summaryCost(wantedSummary, budget.encoding);
  const summary = summaryTokens <= budget.tokensLeft ? wantedSummary : null;
  const tokensLeft = budget.tokensLeft - (summary === null ? 0 : summaryTokens);
  const wanted = suffixes.find((list) => wants(strategy, budget, all, list, suffixes, cost)) ?? [];
  const affordable = suffixes.find((list) => cost(list) <= tokensLeft) ?? [];
  const chosen = wanted.length < affordable.length ? wanted : affordable;
  const first = chosen.findIndex((each) => each.role === 'user');
  const messages = first === -1 ? [] : chosen.slice(first);
  const byBudget = affordable.length < wanted.length || summary !== wantedSummary;
  const limited = byBudget ? 'budget' : 'strategy';
  return { summary, messages, limitedBy: messages.length < all.length || byBudget ? limited : null };
}

type Cost = (list: Message[]) => number;

function wants(strategy: Strategy, _: Budget, all: Message[], list: Message[], every: Message[][], cost: Cost) {
  switch (strategy.name) {
    case 'buffer':
    case 'token-buffer':
      return cost(list) <= strategy.maxTokens;
    case 'window':
      if (strategy.unit === 'messages') return list.length <= strategy.k;
      return strategy.k === 0 ? list.length === 0 : answeredTurns(list) <= strategy.k;
    case 'summary':
      return true;
    case 'summary-buffer': {
      const weight: Cost = strategy.limit.unit === 'tokens' ? cost : (each) => each.length;
      const fits = (each: Message[]) => weight(each) <= 2 * strategy.limit.max;
      const whole = (each: Message[]) => each.length === all.length || isTurnStart(all, all.length - each.length);
      const anyWhole = every.some((each) => each.length > 0 && whole(each) && fits(each));
      return fits(list) && (whole(list) || !anyWhole);
    }
  }
}

/** How many turns with an answer a list touches. */
export function answeredTurns(list: Message[]): number {
  return list.filter((each, i) => each.role === 'assistant' && list[i + 1]?.role !== 'assistant').length;
}

/** Whether a turn begins at an index of all rows. */
export function isTurnStart(all: Message[], index: number): boolean {
  return all[index]?.role === 'user' && all[index - 1]?.role === 'assistant';
}

/** What a fold under summary-buffer should cover, by trying every cut: first for `max`, then for the window. */
export function expectedFold(
  history: History,
  strategy: Extract<Strategy, { name: 'summary-buffer' }>,
  budget: Budget,
): number | null {
  const { unit, max, keep } = strategy.limit;
  const all = history.messages;
  const cost: Cost = (list) => list.reduce((sum, each) => sum + messageCost(each, budget.encoding), 0);
  const newest = all.at(-1);
  if (newest === undefined) return null;
  const rest = foldedTo(all, max, keep, unit === 'tokens' ? cost : (list) => list.length);
  const beside = budget.tokensLeft - strategy.maxSummaryTokens - SUMMARY_SECTION_TOKENS;
  const left = beside > 0 ? foldedTo(rest, beside, Math.floor(beside / 2), cost) : rest;
  const overflow = all[all.length - left.length - 1]?.seq ?? 0;
  const dirty = history.dirtyThrough ?? 0;
  const rebuilt = all.some(({ seq }) => seq <= dirty) ? Math.min(dirty, newest.seq) : 0;
  return Math.max(overflow, rebuilt) || null;
}

function foldedTo(all: Message[], max: number, keep: number, weight: Cost): Message[] {
  if (weight(all) <= max) return all;
  const talk = all.slice(all.findLastIndex((each) => each.role === 'assistant') + 1);
  if (weight(talk) > max)
    return [...talk.keys()].map((i) => talk.slice(i)).find((t) => weight(t) <= keep || t.length === 1) ?? [];
  const starts = [...all.keys()].filter((index) => isTurnStart(all, index));
  return all.slice(starts.find((index) => weight(all.slice(index)) <= keep) ?? starts.at(-1) ?? 0);
}

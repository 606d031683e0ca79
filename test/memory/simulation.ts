import type { Message } from '../../src/conversation/message.js';
import type { Strategy } from '../../src/conversation/settings.js';
import type { Budget } from '../../src/memory/budget.js';
import { type MemoryPlan, planMemory, reachFor } from '../../src/memory/plan.js';
import { load, row, type Stored, summaryThrough } from './histories.js';

/** A turn to come: the tokens of each user message, and of the answer, or null when the turn fails. */
export type Coming = { asked: number[]; answer: number | null };

/** One step of a conversation: what the next question would bring back, and whether a fold came before. */
export type Step = { plan: MemoryPlan; folds: number; live: Message[] };

/**
 * Lets a conversation happen: after each turn it is planned as the store would load it, and folded until nothing is due,
 * unless `summarizer` is down at that turn.
 */
export function converse(
  coming: readonly Coming[],
  strategy: Strategy,
  budget: Budget,
  summarizer: (turn: number) => boolean = () => true,
): Step[] {
  const stored: Stored = { rows: [], summary: null };
  return coming.map((turn, index) => {
    append(stored, turn);
    const plan = () => planMemory(load(stored, reachFor(strategy, budget)), strategy, budget);
    let folds = 0;
    for (let next = plan(); summarizer(index) && next.foldThrough !== null; next = plan()) {
      fold(stored, next.foldThrough);
      folds += 1;
      if (folds > 50) throw new Error('folding does not end');
    }
    const live = stored.rows.filter((each) => each.seq > (stored.summary?.throughSeq ?? 0));
    return { plan: plan(), folds, live };
  });
}

function append(stored: Stored, turn: Coming): void {
  const next = () => (stored.rows.at(-1)?.seq ?? 0) + 1;
  for (const tokens of turn.asked) stored.rows.push(row({ seq: next(), role: 'user', tokens }));
  if (turn.answer !== null) stored.rows.push(row({ seq: next(), role: 'assistant', tokens: turn.answer }));
}

function fold(stored: Stored, through: number): void {
  const covered = stored.rows.filter((each) => each.seq <= through).at(-1);
  if (covered === undefined || covered.seq <= (stored.summary?.throughSeq ?? 0)) throw new Error('a fold of nothing');
  stored.summary = summaryThrough(covered.seq);
}

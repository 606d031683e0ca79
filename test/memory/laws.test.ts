import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageCost, summaryCost } from '../../src/memory/budget.js';
import { type MemoryPlan, planMemory, reachFor } from '../../src/memory/plan.js';
import { anyBudget, anyStored, anyStrategy, anySummaryBuffer } from './arbitraries.js';
import { load, loadAll, seqs } from './histories.js';
import { expectedFold, expectedPlan, isTurnStart } from './reference.js';

const anyCase = fc.tuple(anyStored, anyStrategy, anyBudget);
const runs = { numRuns: 1_500 };

function cost(plan: MemoryPlan, encoding: Parameters<typeof messageCost>[1]): number {
  const summary = plan.summary === null ? 0 : summaryCost(plan.summary, encoding);
  return plan.messages.reduce((sum, message) => sum + messageCost(message, encoding), summary);
}

describe('rules under every strategy', () => {
  it('what is sent never costs more than the budget', () => {
    fc.assert(
      fc.property(anyCase, ([stored, strategy, budget]) => {
        const plan = planMemory(loadAll(stored, strategy), strategy, budget);
        expect(cost(plan, budget.encoding)).toBeLessThanOrEqual(budget.tokensLeft);
      }),
      runs,
    );
  });

  it('what is sent begins with a user message, so that no answer stands without a question', () => {
    fc.assert(
      fc.property(anyCase, ([stored, strategy, budget]) => {
        const [first] = planMemory(loadAll(stored, strategy), strategy, budget).messages;
        expect(first?.role ?? 'user').toBe('user');
      }),
      runs,
    );
  });

  it('what is sent is the newest part of what is stored, in order and without a hole', () => {
    fc.assert(
      fc.property(anyCase, ([stored, strategy, budget]) => {
        const { messages } = planMemory(loadAll(stored, strategy), strategy, budget);
        expect(seqs(messages)).toEqual(seqs(stored.rows).slice(stored.rows.length - messages.length));
      }),
      runs,
    );
  });

  it('no message is sent both as itself and through a summary', () => {
    fc.assert(
      fc.property(anyCase, ([stored, strategy, budget]) => {
        const plan = planMemory(load(stored, reachFor(strategy, budget)), strategy, budget);
        const watermark = plan.summary?.throughSeq ?? 0;
        expect(seqs(plan.messages).filter((seq) => seq <= watermark)).toEqual([]);
      }),
      runs,
    );
  });

  it('a fold begins above the watermark and never passes the newest row', () => {
    fc.assert(
      fc.property(anyCase, ([stored, strategy, budget]) => {
        const history = loadAll(stored, strategy);
        const { foldThrough } = planMemory(history, strategy, budget);
        if (foldThrough === null) return;
        expect(foldThrough).toBeGreaterThan(history.summary?.throughSeq ?? 0);
        expect(foldThrough).toBeLessThanOrEqual(history.messages.at(-1)!.seq);
      }),
      runs,
    );
  });

  it('the plan is what the table of strategies says, found by trying every suffix', () => {
    fc.assert(
      fc.property(anyCase, ([stored, strategy, budget]) => {
        const history = loadAll(stored, strategy);
        expect(planMemory(history, strategy, budget)).toMatchObject(expectedPlan(history, strategy, budget));
      }),
      runs,
    );
  });

  it('planning changes neither the history nor its rows', () => {
    fc.assert(
      fc.property(anyCase, ([stored, strategy, budget]) => {
        const history = loadAll(stored, strategy);
        const before = structuredClone(history);
        planMemory(history, strategy, budget);
        expect(history).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a reach', () => {
  it('loads enough for the plan to be the same as with everything loaded', () => {
    fc.assert(
      fc.property(anyCase, ([stored, strategy, budget]) => {
        const full = planMemory(loadAll(stored, strategy), strategy, budget);
        expect(planMemory(load(stored, reachFor(strategy, budget)), strategy, budget)).toEqual(full);
      }),
      { numRuns: 4_000 },
    );
  });
});

describe('folding under summary-buffer', () => {
  const anyFold = fc.tuple(anyStored, anySummaryBuffer, anyBudget);

  it('covers what trying every cut finds', () => {
    fc.assert(
      fc.property(anyFold, ([stored, strategy, budget]) => {
        const history = loadAll(stored, strategy);
        const { foldThrough } = planMemory(history, strategy, budget);
        expect(foldThrough).toBe(expectedFold(history, strategy, budget));
      }),
      { numRuns: 4_000 },
    );
  });

  it('leaves the newest answered turn alone', () => {
    fc.assert(
      fc.property(anyFold, ([stored, strategy, budget]) => {
        const history = { ...loadAll(stored, strategy), dirtyThrough: null };
        const { messages } = history;
        const { foldThrough } = planMemory(history, strategy, budget);
        if (foldThrough === null || messages.at(-1)?.role !== 'assistant') return;
        const newestTurn = messages.findLastIndex((_, index) => isTurnStart(messages, index));
        expect(foldThrough).toBeLessThan(messages[newestTurn]!.seq);
      }),
      runs,
    );
  });
});

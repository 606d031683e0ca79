import { describe, expect, it } from 'vitest';
import { SUMMARY_SECTION_TOKENS } from '../../src/memory/budget.js';
import { planMemory, reachFor } from '../../src/memory/plan.js';
import { AMPLE, historyOf, load, rows, seqs, turns } from './histories.js';

const strategyOf = (max: number, keep: number) => ({
  name: 'summary-buffer' as const,
  limit: { unit: 'tokens' as const, max, keep },
  maxSummaryTokens: 400,
});

describe('a turn longer than what is loaded', () => {
  const strategy = strategyOf(100, 50);

  it('is read to its beginning, so that a fold can spare it', () => {
    const stored = { rows: rows('u a u:5 u:5 a:9000'), summary: null };
    const history = load(stored, reachFor(strategy, AMPLE));
    expect(seqs(history.messages)).toEqual([2, 3, 4, 5]);
    expect(planMemory(history, strategy, AMPLE).foldThrough).toBe(2);
  });

  it('is read no further than a thousand messages; what lies before them is folded then', () => {
    const stored = { rows: rows(`u a ${'u '.repeat(1_500)}a`), summary: null };
    const history = load(stored, reachFor(strategy, AMPLE));
    expect(history.messages).toHaveLength(1_000);
    expect(planMemory(history, strategy, AMPLE).foldThrough).toBe(history.messages[0]!.seq - 1);
  });
});

describe('loaded answers without any question', () => {
  it('fold nothing, since their question would be folded away from them', () => {
    const history = historyOf(rows('a:300 a:300'), { complete: false });
    expect(planMemory(history, strategyOf(100, 50), AMPLE).foldThrough).toBeNull();
  });
});

describe('a window too small for max', () => {
  const strategy = strategyOf(3_000, 1_500);
  const budget = { tokensLeft: 400 + SUMMARY_SECTION_TOKENS + 1_000, encoding: 'o200k_base' as const };

  it('has folded what would be in neither prompt nor summary, down to half of what fits', () => {
    const fits = planMemory(historyOf(turns(10, 50)), strategy, budget);
    expect(fits).toMatchObject({ foldThrough: null, limitedBy: null });
    expect(planMemory(historyOf(turns(11, 50)), strategy, budget).foldThrough).toBe(12);
  });

  it('has nothing folded for its sake when not even a summary fits', () => {
    const none = { ...budget, tokensLeft: 400 };
    expect(planMemory(historyOf(turns(11, 50)), strategy, none).foldThrough).toBeNull();
  });
});

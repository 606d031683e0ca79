import { describe, expect, it } from 'vitest';
import { planMemory, reachFor } from '../../src/memory/plan.js';
import { AMPLE, historyOf, load, rows, seqs, summaryThrough } from './histories.js';

const budgetOf = (tokensLeft: number) => ({ tokensLeft, encoding: 'o200k_base' as const });

describe.each(['buffer', 'token-buffer'] as const)('%s', (name) => {
  const sent = (script: string, maxTokens: number) =>
    seqs(planMemory(historyOf(rows(script)), { name, maxTokens }, AMPLE).messages);

  it('sends the newest messages whose tokens fit together, to the last token', () => {
    expect(sent('u:50 a:50 u:50 a:50', 200)).toEqual([1, 2, 3, 4]);
    expect(sent('u:50 a:50 u:50 a:50', 199)).toEqual([3, 4]);
    expect(sent('u:50 a:50 u:50 a:50', 100)).toEqual([3, 4]);
    expect(sent('u:50 a:50 u:50 a:50', 99)).toEqual([]);
  });

  it('stops at the first message that does not fit, and never skips one', () => {
    expect(sent('u:10 a:10 u:10 a:500 u:10 a:10', 100)).toEqual([5, 6]);
  });

  it('sends nothing when the newest answer alone does not fit', () => {
    expect(sent('u:10 a:10 u:10 a:500', 100)).toEqual([]);
  });

  it('carries many speakers and unanswered questions in order', () => {
    expect(sent('u:10 u:10 u:10 a:10 u:10 u:10', 50)).toEqual([2, 3, 4, 5, 6]);
  });

  it('sends no summary and folds nothing, even when one is stored and rows are covered', () => {
    const strategy = { name, maxTokens: 1_000 };
    const stored = { rows: rows('u a u a'), summary: summaryThrough(2), dirtyThrough: 4 };
    const plan = planMemory(load(stored, reachFor(strategy, AMPLE)), strategy, AMPLE);
    expect(plan).toMatchObject({ summary: null, foldThrough: null, limitedBy: null });
    expect(seqs(plan.messages)).toEqual([1, 2, 3, 4]);
  });
});

describe('what limits a plan', () => {
  const plan = (script: string, maxTokens: number, budget = AMPLE, complete = true) =>
    planMemory(historyOf(rows(script), { complete }), { name: 'buffer', maxTokens }, budget).limitedBy;

  it('is nothing when all that is stored is sent', () => {
    expect(plan('u:50 a:50', 100)).toBeNull();
    expect(plan('', 100)).toBeNull();
  });

  it('is the strategy when its own ceiling cuts', () => {
    expect(plan('u:50 a:50 u:50 a:50', 150)).toBe('strategy');
  });

  it('is the budget when it cuts below that ceiling', () => {
    expect(plan('u:50 a:50 u:50 a:50', 150, budgetOf(149))).toBe('budget');
  });

  it('is the strategy when the budget would have allowed as much', () => {
    expect(plan('u:50 a:50 u:50 a:50', 150, budgetOf(150))).toBe('strategy');
  });

  it('is the strategy when something was not even loaded', () => {
    expect(plan('u:50 a:50', 150, AMPLE, false)).toBe('strategy');
  });

  it('is the strategy when an answer without a question is left out', () => {
    expect(plan('a:50 u:50', 150)).toBe('strategy');
  });
});

describe('a change of encoding', () => {
  it('scales old counts of another encoding up, without counting again', () => {
    const history = historyOf(rows('u:50 a:50 u:50 a:50'));
    const strategy = { name: 'token-buffer' as const, maxTokens: 300 };
    const plan = planMemory(history, strategy, { tokensLeft: 10_000, encoding: 'cl100k_base' });
    expect(seqs(plan.messages)).toEqual([3, 4]);
  });
});

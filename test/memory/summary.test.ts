import { describe, expect, it } from 'vitest';
import { SUMMARY_SECTION_TOKENS } from '../../src/memory/budget.js';
import { planMemory } from '../../src/memory/plan.js';
import { AMPLE, historyOf, rows, seqs, summaryThrough } from './histories.js';

const strategy = { name: 'summary' as const, maxSummaryTokens: 400 };
const budgetOf = (tokensLeft: number) => ({ tokensLeft, encoding: 'o200k_base' as const });

describe('summary', () => {
  it('sends the summary and the live messages, and folds all of them, the newest turn too', () => {
    const summary = summaryThrough(2);
    const live = rows('u a u a u a').slice(2);
    const plan = planMemory(historyOf(live, { summary }), strategy, AMPLE);
    expect(plan).toEqual({ summary, messages: live, foldThrough: 6, limitedBy: null });
  });

  it('wants a question folded that nobody answered', () => {
    expect(planMemory(historyOf(rows('u a u')), strategy, AMPLE).foldThrough).toBe(3);
  });

  it('has nothing to fold when everything is folded', () => {
    const plan = planMemory(historyOf([], { summary: summaryThrough(6) }), strategy, AMPLE);
    expect(plan).toMatchObject({ messages: [], foldThrough: null, limitedBy: null });
    expect(plan.summary?.throughSeq).toBe(6);
  });
});

describe('a summary under the token budget', () => {
  const summary = summaryThrough(2, 20);
  const cost = 20 + SUMMARY_SECTION_TOKENS;
  const live = rows('u:30 a:30 u:30 a:30 u:30 a:30').slice(2);
  const plan = (tokens: number) => planMemory(historyOf(live, { summary }), strategy, budgetOf(tokens));

  it('comes before messages: the oldest of these are dropped for it', () => {
    expect(seqs(plan(cost + 119).messages)).toEqual([5, 6]);
    expect(plan(cost + 119)).toMatchObject({ summary, limitedBy: 'budget' });
  });

  it('stands alone when no message fits beside it', () => {
    expect(plan(cost)).toMatchObject({ summary, messages: [], limitedBy: 'budget' });
  });

  it('is left out when it does not fit alone, and messages take its tokens', () => {
    expect(seqs(plan(cost - 1).messages)).toEqual([5, 6]);
    expect(plan(cost - 1)).toMatchObject({ summary: null, limitedBy: 'budget' });
  });

  it('limits nothing when all fits to the last token', () => {
    expect(plan(cost + 120)).toMatchObject({ summary, messages: live, limitedBy: null });
  });
});

import { describe, expect, it } from 'vitest';
import type { History } from '../../src/conversation/history.js';
import { planMemory } from '../../src/memory/plan.js';
import { AMPLE, historyOf, rows, seqs, summaryThrough, turns } from './histories.js';

type Limit = { unit: 'tokens' | 'messages'; max: number; keep: number };

const strategyOf = (limit: Limit) => ({ name: 'summary-buffer' as const, limit, maxSummaryTokens: 400 });
const tokens = (max: number, keep: number): Limit => ({ unit: 'tokens', max, keep });
const messages = (max: number, keep: number): Limit => ({ unit: 'messages', max, keep });

function plan(script: string, limit: Limit, more: Partial<History> = {}) {
  return planMemory(historyOf(rows(script), more), strategyOf(limit), AMPLE);
}

describe('when summary-buffer folds', () => {
  it('not at max, but above it', () => {
    expect(plan('u:25 a:25 u:25 a:25', tokens(100, 50)).foldThrough).toBeNull();
    expect(plan('u:25 a:26 u:25 a:25', tokens(100, 50)).foldThrough).toBe(2);
  });

  it('down to keep, not message by message', () => {
    expect(plan('u a '.repeat(11), tokens(200, 100)).foldThrough).toBe(12);
    expect(plan('u a '.repeat(11), messages(20, 10)).foldThrough).toBe(12);
  });

  it('in whole turns, so that less than keep may stay', () => {
    expect(plan('u a u u u a u a', messages(6, 5)).foldThrough).toBe(6);
    expect(plan('u a u u u a u a', messages(6, 4)).foldThrough).toBe(6);
    expect(plan('u a u a a a u a', messages(6, 5)).foldThrough).toBe(6);
  });

  it('with an odd count leaves whole turns too', () => {
    expect(plan('u u a u a u a', messages(6, 5)).foldThrough).toBe(3);
    expect(plan('u u a u a u a', messages(6, 3)).foldThrough).toBe(5);
  });

  it('leaves the newest turn alone, even when that is more than keep or than max', () => {
    expect(plan('u a u a', messages(2, 0)).foldThrough).toBe(2);
    expect(plan('u a u:500 a:500', tokens(100, 50)).foldThrough).toBe(2);
  });

  it('does nothing when the newest turn is all there is', () => {
    expect(plan('u:500 a:500', tokens(100, 50)).foldThrough).toBeNull();
    expect(plan('u u u a', messages(2, 1)).foldThrough).toBeNull();
  });

  it('leaves talk that nobody has answered to the turn of the question', () => {
    expect(plan('u a u a u u', messages(5, 2)).foldThrough).toBe(4);
    expect(plan('u a u a u u', messages(5, 1)).foldThrough).toBe(4);
  });

  it('folds unanswered talk once it alone passes max, since no answer may ever come', () => {
    expect(plan('u a u u u u u u', messages(5, 2)).foldThrough).toBe(6);
    expect(plan('u u u u u u', messages(5, 0)).foldThrough).toBe(5);
  });

  it('never folds a lone question, however huge', () => {
    expect(plan('u:9000', tokens(100, 0)).foldThrough).toBeNull();
    expect(plan('u a u:9000', tokens(100, 0)).foldThrough).toBe(2);
  });
});

describe('what summary-buffer sends while a fold is pending', () => {
  it('is everything up to twice max', () => {
    expect(plan('u a '.repeat(10), messages(10, 5)).messages).toHaveLength(20);
    expect(plan('u a '.repeat(10), messages(10, 5)).limitedBy).toBeNull();
  });

  it('is the newest whole turns within twice max when more is live', () => {
    const many = plan('u u a '.repeat(8), messages(10, 5));
    expect(seqs(many.messages)[0]).toBe(7);
    expect(many.limitedBy).toBe('strategy');
  });

  it('is the newest messages within twice max when not even one turn is', () => {
    expect(seqs(plan('u a u u u u u a', messages(2, 1)).messages)).toEqual([5, 6, 7, 8]);
  });

  it('is nothing but the summary when the newest answer alone passes twice max', () => {
    const summary = summaryThrough(2);
    const live = rows('u a u a:201').slice(2);
    const { messages: sent, summary: sentSummary } = planMemory(
      historyOf(live, { summary }),
      strategyOf(tokens(100, 50)),
      AMPLE,
    );
    expect(sent).toEqual([]);
    expect(sentSummary).toBe(summary);
  });

  it('is limited by the budget last', () => {
    const history = historyOf(turns(10, 10));
    const limited = planMemory(history, strategyOf(tokens(100, 50)), { tokensLeft: 45, encoding: 'o200k_base' });
    expect(seqs(limited.messages)).toEqual([17, 18, 19, 20]);
    expect(limited.limitedBy).toBe('budget');
  });
});

describe('a dirty summary', () => {
  it('has what it covered folded again, even under max', () => {
    expect(plan('u a u a u a', tokens(1_000, 500), { dirtyThrough: 4 }).foldThrough).toBe(4);
  });

  it('does not hold back a fold that goes further', () => {
    expect(plan('u a u a u a', messages(4, 2), { dirtyThrough: 2 }).foldThrough).toBe(4);
  });

  it('is rebuilt through the newest row at most, when later rows were erased', () => {
    expect(plan('u a u a', tokens(1_000, 500), { dirtyThrough: 9 }).foldThrough).toBe(4);
  });

  it('leaves nothing to fold when no row is left of what it covered', () => {
    expect(plan('', tokens(1_000, 500), { dirtyThrough: 9 }).foldThrough).toBeNull();
    const messages = rows('u a u a').slice(2);
    expect(plan('', tokens(1_000, 500), { messages, dirtyThrough: 2 }).foldThrough).toBeNull();
  });

  it('is rebuilt from rows that lie before what is loaded', () => {
    const messages = rows('u a u a').slice(2);
    expect(plan('', tokens(1_000, 500), { messages, dirtyThrough: 2, complete: false }).foldThrough).toBe(2);
  });
});

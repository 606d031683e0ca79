import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Strategy } from '../../src/conversation/settings.js';
import { messageCost } from '../../src/memory/budget.js';
import { forcedFoldThrough, takeFoldBatch } from '../../src/memory/fold-range.js';
import { anyRows } from './arbitraries.js';
import { historyOf, row, rows, seqs, turns } from './histories.js';
import { isTurnStart } from './reference.js';

const take = (script: string, maxTokens: number) => seqs(takeFoldBatch(rows(script), maxTokens, 'o200k_base'));

describe('what one fold takes', () => {
  it('is everything when it fits, to the last token', () => {
    expect(take('u:10 a:10 u:10', 30)).toEqual([1, 2, 3]);
  });

  it('ends with a turn when not all fits', () => {
    expect(take('u:10 a:10 u:10 a:10 u:10 a:10', 59)).toEqual([1, 2, 3, 4]);
    expect(take('u:10 a:10 u:10 a:10 u:10 a:10', 39)).toEqual([1, 2]);
  });

  it('ends within a turn that is larger than the limit', () => {
    expect(take('u:10 u:10 u:10 a:10 u:10', 25)).toEqual([1, 2]);
  });

  it('is one row at least, so that one huge message cannot stop all folding', () => {
    expect(take('u:9000 a:10', 100)).toEqual([1]);
    expect(take('u:9000 a:10', 0)).toEqual([1]);
  });

  it('is nothing of nothing', () => {
    expect(take('', 100)).toEqual([]);
  });

  it('is the longest prefix that fits, or the longest of these that ends a turn', () => {
    fc.assert(
      fc.property(anyRows, fc.integer({ min: 0, max: 900 }), (all, maxTokens) => {
        const cost = (count: number) =>
          all.slice(0, count).reduce((sum, each) => sum + messageCost(each, 'o200k_base'), 0);
        const counts = [...all.keys()].map((index) => index + 1);
        const fitting = counts.filter((count) => count === 1 || cost(count) <= maxTokens);
        const ending = fitting.filter((count) => count === all.length || isTurnStart(all, count));
        expect(takeFoldBatch(all, maxTokens, 'o200k_base')).toEqual(all.slice(0, ending.at(-1) ?? fitting.at(-1) ?? 0));
      }),
      { numRuns: 1_000 },
    );
  });

  it('repeated until all is taken, takes each row once and in order', () => {
    fc.assert(
      fc.property(anyRows, fc.integer({ min: 0, max: 900 }), (all, maxTokens) => {
        const taken: number[] = [];
        for (let rest = all; rest.length > 0; ) {
          const part = takeFoldBatch(rest, maxTokens, 'cl100k_base');
          taken.push(...seqs(part));
          rest = rest.slice(part.length);
        }
        expect(taken).toEqual(seqs(all));
      }),
    );
  });
});

describe('a fold on demand', () => {
  const summary: Strategy = { name: 'summary', maxSummaryTokens: 400 };
  const buffer = (unit: 'tokens' | 'messages', max: number, keep: number): Strategy => ({
    name: 'summary-buffer',
    limit: { unit, max, keep },
    maxSummaryTokens: 400,
  });

  it('covers everything under summary', () => {
    expect(forcedFoldThrough(historyOf(turns(3)), summary)).toBe(6);
    expect(forcedFoldThrough(historyOf([]), summary)).toBeNull();
  });

  it('goes down to keep under summary-buffer, however little is live', () => {
    expect(forcedFoldThrough(historyOf(turns(4)), buffer('messages', 100, 4))).toBe(4);
    expect(forcedFoldThrough(historyOf(turns(4)), buffer('tokens', 3_000, 45))).toBe(4);
  });

  it('finds nothing to fold under summary-buffer when only keep or the newest turn is live', () => {
    expect(forcedFoldThrough(historyOf(turns(4)), buffer('messages', 100, 8))).toBeNull();
    expect(forcedFoldThrough(historyOf(turns(1)), buffer('messages', 100, 0))).toBeNull();
    expect(forcedFoldThrough(historyOf([row({ seq: 1, role: 'user' })]), buffer('messages', 2, 0))).toBeNull();
  });

  it('rebuilds a dirty summary in any case', () => {
    expect(forcedFoldThrough(historyOf(turns(4), { dirtyThrough: 2 }), buffer('messages', 100, 8))).toBe(2);
  });

  it.each<Strategy>([
    { name: 'buffer', maxTokens: 100 },
    { name: 'token-buffer', maxTokens: 100 },
    { name: 'window', k: 2, unit: 'messages' },
  ])('does not exist under $name', (strategy) => {
    expect(forcedFoldThrough(historyOf(turns(9)), strategy)).toBeNull();
  });
});

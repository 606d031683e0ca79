import { describe, expect, it } from 'vitest';
import type { Reach } from '../../src/conversation/history.js';
import type { Strategy } from '../../src/conversation/settings.js';
import { reachFor } from '../../src/memory/plan.js';
import { load, rows, seqs } from './histories.js';

const budgetOf = (tokensLeft: number) => ({ tokensLeft, encoding: 'o200k_base' as const });

describe('how much a store must load', () => {
  const folding = (unit: 'tokens' | 'messages', max: number): Strategy => ({
    name: 'summary-buffer',
    limit: { unit, max, keep: 0 },
    maxSummaryTokens: 400,
  });

  it.each<[Strategy, number, Reach]>([
    [{ name: 'buffer', maxTokens: 16_000 }, 5_000, { summary: false, tokens: 5_000 }],
    [{ name: 'buffer', maxTokens: 16_000 }, 50_000, { summary: false, tokens: 16_000 }],
    [{ name: 'token-buffer', maxTokens: 2_000 }, 5_000, { summary: false, tokens: 2_000 }],
    [{ name: 'window', k: 8, unit: 'messages' }, 5_000, { summary: false, messages: 8, tokens: 5_000 }],
    [{ name: 'window', k: 8, unit: 'turns' }, 5_000, { summary: false, turns: 8, messages: 10_000, tokens: 5_000 }],
    [{ name: 'window', k: 0, unit: 'turns' }, 5_000, { summary: false, messages: 0, tokens: 5_000 }],
    [{ name: 'summary', maxSummaryTokens: 400 }, 5_000, { summary: true, tokens: 5_000 }],
    [folding('tokens', 3_000), 1_000, { summary: true, tokens: 6_000, newestTurnWithin: 1_000 }],
    [folding('messages', 20), 1_000, { summary: true, messages: 40, newestTurnWithin: 1_000 }],
  ])('%o with %i tokens left: %o', (strategy, tokens, reach) => {
    expect(reachFor(strategy, budgetOf(tokens))).toEqual(reach);
  });
});

describe('a reach counter', () => {
  const read = (script: string, reach: Omit<Reach, 'summary'>) =>
    seqs(load({ rows: rows(script), summary: null }, { summary: false, ...reach }).messages);

  it('stops with the first message past a limit, so that a plan sees that there is more', () => {
    expect(read('u a u a u a', { messages: 2 })).toEqual([4, 5, 6]);
    expect(read('u a u a u a', { tokens: 20 })).toEqual([4, 5, 6]);
    expect(read('u a u a u a', { turns: 1 })).toEqual([4, 5, 6]);
  });

  it('counts several answers in a row as one turn', () => {
    expect(read('u a u a a a', { turns: 1 })).toEqual([2, 3, 4, 5, 6]);
  });

  it('reads past its limits to the message before the newest turn, when asked', () => {
    expect(read('u a u u u a', { messages: 1, newestTurnWithin: 50 })).toEqual([2, 3, 4, 5, 6]);
    expect(read('u a u u u', { messages: 1, newestTurnWithin: 50 })).toEqual([2, 3, 4, 5]);
  });

  it('reads no further than it may for that', () => {
    expect(read('u a u u u a', { messages: 1, newestTurnWithin: 3 })).toEqual([4, 5, 6]);
  });

  it('reads no less than its limits for that', () => {
    expect(read('u a u a u a', { messages: 4, newestTurnWithin: 3 })).toEqual([2, 3, 4, 5, 6]);
  });

  it('without limits reads everything', () => {
    expect(read('u a u a', {})).toEqual([1, 2, 3, 4]);
  });
});

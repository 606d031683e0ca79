import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planMemory } from '../../src/memory/plan.js';
import { anyRows } from './arbitraries.js';
import { AMPLE, historyOf, rows, seqs, turns } from './histories.js';
import { answeredTurns } from './reference.js';

function sent(script: string, k: number, unit: 'messages' | 'turns' = 'messages'): number[] {
  return seqs(planMemory(historyOf(rows(script)), { name: 'window', k, unit }, AMPLE).messages);
}

describe('window in messages', () => {
  it.each([
    [0, []],
    [1, []],
    [2, [5, 6]],
    [3, [5, 6]],
    [4, [3, 4, 5, 6]],
    [5, [3, 4, 5, 6]],
    [6, [1, 2, 3, 4, 5, 6]],
    [500, [1, 2, 3, 4, 5, 6]],
  ])('k:%i of three turns carries %o: k is a ceiling, and no answer comes without its question', (k, expected) => {
    expect(sent('u a u a u a', k)).toEqual(expected);
  });

  it('counts messages that nobody answered like all others', () => {
    expect(sent('u a u u u', 3)).toEqual([3, 4, 5]);
    expect(sent('u a u u u', 4)).toEqual([3, 4, 5]);
    expect(sent('u a u u u', 5)).toEqual([1, 2, 3, 4, 5]);
  });

  it('may cut the oldest turn among its leading user messages, as long as one remains', () => {
    expect(sent('u u u a', 2)).toEqual([3, 4]);
    expect(sent('u u u a', 3)).toEqual([2, 3, 4]);
  });
});

describe('window in turns', () => {
  it.each([
    [0, []],
    [1, [5, 6]],
    [2, [3, 4, 5, 6]],
    [3, [1, 2, 3, 4, 5, 6]],
    [4, [1, 2, 3, 4, 5, 6]],
  ])('k:%i of three turns carries %o', (k, expected) => {
    expect(sent('u a u a u a', k, 'turns')).toEqual(expected);
  });

  it('takes a turn whole, however many speak before its answer', () => {
    expect(sent('u a u u u a', 1, 'turns')).toEqual([3, 4, 5, 6]);
  });

  it('takes several answers in a row as one turn', () => {
    expect(sent('u a u a a', 1, 'turns')).toEqual([3, 4, 5]);
  });

  it('does not count talk after the last answer, since it belongs to the question’s turn', () => {
    expect(sent('u a u a u u', 1, 'turns')).toEqual([3, 4, 5, 6]);
  });

  it('carries nothing at all with k:0, also no talk', () => {
    expect(sent('u a u u', 0, 'turns')).toEqual([]);
  });

  it('sends exactly k answered turns when as many are stored', () => {
    fc.assert(
      fc.property(anyRows, fc.integer({ min: 1, max: 8 }), (all, k) => {
        const { messages } = planMemory(historyOf(all), { name: 'window', k, unit: 'turns' }, AMPLE);
        const askedFor = all.slice(all.findIndex((each) => each.role === 'user'));
        const stored = all.some((each) => each.role === 'user') ? answeredTurns(askedFor) : 0;
        expect(answeredTurns(messages)).toBe(Math.min(k, stored));
      }),
      { numRuns: 500 },
    );
  });
});

describe('one huge message in a window', () => {
  it('is sent when the budget allows it, since a window does not count tokens', () => {
    expect(sent('u a u:900000 a', 2)).toEqual([3, 4]);
  });

  it('is left out with all before it when the budget has none', () => {
    const history = historyOf(rows('u a u:5000 a u a'));
    const plan = planMemory(
      history,
      { name: 'window', k: 6, unit: 'messages' },
      { tokensLeft: 1_000, encoding: 'o200k_base' },
    );
    expect(seqs(plan.messages)).toEqual([5, 6]);
    expect(plan.limitedBy).toBe('budget');
  });
});

describe('odd counts', () => {
  it('k and k + 1 carry the same on alternating talk when k is even', () => {
    fc.assert(
      fc.property(fc.nat({ max: 20 }), fc.nat({ max: 20 }), (count, half) => {
        const history = historyOf(turns(count));
        const [even, odd] = [2 * half, 2 * half + 1].map((k) =>
          planMemory(history, { name: 'window', k, unit: 'messages' }, AMPLE),
        );
        expect(odd!.messages).toEqual(even!.messages);
      }),
    );
  });
});

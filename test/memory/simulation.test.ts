import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Strategy } from '../../src/conversation/settings.js';
import { anyBudget, anyStrategy, anySummaryBuffer } from './arbitraries.js';
import { AMPLE, seqs } from './histories.js';
import { type Coming, converse } from './simulation.js';

const anyTurn = (most: number): fc.Arbitrary<Coming> =>
  fc.record({
    asked: fc.array(fc.integer({ min: 5, max: most }), { minLength: 1, maxLength: 4 }),
    answer: fc.option(fc.integer({ min: 5, max: most }), { freq: 8 }),
  });
const anyTalk = (most: number) => fc.array(anyTurn(most), { maxLength: 40 });
const summaryBuffer = (max: number, keep: number): Strategy => ({
  name: 'summary-buffer',
  limit: { unit: 'tokens', max, keep },
  maxSummaryTokens: 400,
});
const total = (talk: Coming[]) =>
  talk.reduce((sum, { asked, answer }) => asked.reduce((a, b) => a + b, sum) + (answer ?? 0), 0);
const folds = (steps: { folds: number }[]) => steps.reduce((sum, step) => sum + step.folds, 0);

describe('hysteresis', () => {
  it('a hundred turns of 2 × 20 tokens with 400 → 200 cost 18 folds at most, not one a turn', () => {
    const talk = Array.from({ length: 100 }, () => ({ asked: [20], answer: 20 }));
    const count = folds(converse(talk, summaryBuffer(400, 200), AMPLE));
    expect(count).toBeGreaterThan(10);
    expect(count).toBeLessThanOrEqual(18);
  });

  it('folds at most appended tokens / (max − keep) + 1 times when no turn exceeds keep', () => {
    const anyLimit = fc.integer({ min: 150, max: 600 }).chain((max) =>
      fc.tuple(
        fc.constant(max),
        fc.integer({ min: 150, max }).map((keep) => Math.min(keep, max - 1)),
      ),
    );
    fc.assert(
      fc.property(anyTalk(30), anyLimit, (talk, [max, keep]) => {
        const answered = talk.map((turn) => ({ ...turn, answer: turn.answer ?? 5 }));
        const count = folds(converse(answered, summaryBuffer(max, keep), AMPLE));
        expect(count).toBeLessThanOrEqual(total(answered) / (max - keep) + 1);
      }),
      { numRuns: 300 },
    );
  });

  it('folds at most once a turn under every setting', () => {
    fc.assert(
      fc.property(anyTalk(200), anySummaryBuffer, (talk, strategy) => {
        for (const step of converse(talk, strategy, AMPLE)) expect(step.folds).toBeLessThanOrEqual(1);
      }),
      { numRuns: 300 },
    );
  });

  it('ends, and every fold covers something, under every strategy and budget', () => {
    fc.assert(
      fc.property(anyTalk(200), anyStrategy, anyBudget, (talk, strategy, budget) => {
        for (const step of converse(talk, strategy, budget)) expect(step.plan.foldThrough).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});

describe('after folding', () => {
  it('what is live is at most max, or the newest turn, or one message', () => {
    fc.assert(
      fc.property(anyTalk(200), anySummaryBuffer, (talk, strategy) => {
        const { unit, max } = strategy.limit;
        for (const { live } of converse(talk, strategy, AMPLE)) {
          const weight = live.reduce((sum, each) => sum + (unit === 'tokens' ? (each.tokens ?? 0) : 1), 0);
          const inner = live.some((each, i) => each.role === 'user' && live[i - 1]?.role === 'assistant');
          if (weight > max) expect(inner).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('sends all live messages when the window has space beside a full summary', () => {
    const anyTokensLeft = fc.integer({ min: 1_500, max: 4_000 });
    const anyMax = fc.integer({ min: 200, max: 8_000 });
    fc.assert(
      fc.property(anyTalk(100), anyTokensLeft, anyMax, (talk, tokensLeft, max) => {
        const budget = { tokensLeft, encoding: 'o200k_base' as const };
        for (const { plan, live } of converse(talk, summaryBuffer(max, Math.floor(max / 2)), budget)) {
          const first = live.findIndex((each) => each.role === 'user');
          const newestTurn = live.reduce((sum, each) => sum + (each.tokens ?? 0), 0);
          if (newestTurn <= 2 * max) expect(seqs(plan.messages)).toEqual(first === -1 ? [] : seqs(live.slice(first)));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('nothing stays live under summary', () => {
    fc.assert(
      fc.property(anyTalk(100), (talk) => {
        for (const { live, folds: count } of converse(talk, { name: 'summary', maxSummaryTokens: 400 }, AMPLE)) {
          expect(live).toEqual([]);
          expect(count).toBe(1);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('a stable prefix', () => {
  const folding = fc.oneof(anySummaryBuffer, fc.constant<Strategy>({ name: 'summary', maxSummaryTokens: 400 }));

  it('between two folds the prompt of summary and summary-buffer only grows at its end', () => {
    fc.assert(
      fc.property(anyTalk(30), folding, (talk, strategy) => {
        const steps = converse(talk, strategy, AMPLE);
        for (const [index, step] of steps.entries()) {
          const before = steps[index - 1];
          if (before === undefined || step.folds > 0 || step.plan.limitedBy !== null) continue;
          expect(step.plan.summary).toEqual(before.plan.summary);
          expect(step.plan.messages.slice(0, before.plan.messages.length)).toEqual(before.plan.messages);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('also while the summarizer is down, up to twice max', () => {
    const down = converse(
      Array.from({ length: 9 }, () => ({ asked: [20], answer: 20 })),
      summaryBuffer(200, 100),
      AMPLE,
      () => false,
    );
    expect(down.map(({ plan }) => plan.messages.length)).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18]);
    expect(down.every(({ plan }) => plan.summary === null && plan.messages[0]?.seq === 1)).toBe(true);
  });

  it('an outage of the summarizer keeps the prompt within twice max, and everything live', () => {
    const talk = Array.from({ length: 100 }, () => ({ asked: [20], answer: 20 }));
    const steps = converse(talk, summaryBuffer(200, 100), AMPLE, (turn) => turn === 99);
    expect(steps[98]!.live).toHaveLength(198);
    expect(steps[98]!.plan.messages).toHaveLength(20);
    expect(steps[99]!.folds).toBe(1);
    expect(steps[99]!.plan.summary?.throughSeq).toBe(196);
  });
});

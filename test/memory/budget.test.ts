import fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { describe, expect, it } from 'vitest';
import { MESSAGE_OVERHEAD, renderLine } from '../../src/conversation/message.js';
import {
  budgetFor,
  type ModelLimits,
  messageCost,
  promptLimit,
  SUMMARY_SECTION_TOKENS,
  summaryCost,
} from '../../src/memory/budget.js';
import { row, summaryThrough } from './histories.js';

const window: ModelLimits = {
  contextWindow: 10_000,
  maxAnswerTokens: 1_000,
  safety: 0.05,
  factor: 1,
  encoding: 'o200k_base',
};

const anyWindow: fc.Arbitrary<ModelLimits> = fc.record({
  contextWindow: fc.integer({ min: 0, max: 2_000_000 }),
  maxAnswerTokens: fc.integer({ min: 1, max: 100_000 }),
  safety: fc.double({ min: 0, max: 1, noNaN: true }),
  factor: fc.double({ min: 0.5, max: 10, noNaN: true }),
  encoding: fc.constantFrom('o200k_base', 'cl100k_base'),
});

describe('the prompt limit', () => {
  it.each([
    ['window, answer and safety', {}, 8_500],
    ['a wider safety for other models', { safety: 0.2 }, 7_000],
    ['an endpoint that counts a quarter more', { factor: 1.25 }, 6_800],
    ['a window of 4,096 with the defaults', { contextWindow: 4_096, safety: 0.2 }, 2_276],
    ['an answer that would fill the window gets half of it', { contextWindow: 1_000, safety: 0.1 }, 400],
    ['a factor below 1 is not believed', { factor: 0.5 }, 8_500],
    ['no window, no prompt', { contextWindow: 0 }, 0],
    ['a safety that eats all leaves nothing, not less', { safety: 1 }, 0],
  ])('%s', (_, changed, limit) => {
    expect(promptLimit({ ...window, ...changed })).toBe(limit);
  });

  it('with answer and safety never passes the window, even when the endpoint counts more', () => {
    fc.assert(
      fc.property(anyWindow, (each) => {
        const limit = promptLimit(each);
        const answer = Math.min(each.maxAnswerTokens, each.contextWindow / 2);
        const used = limit * Math.max(1, each.factor) + answer + each.safety * each.contextWindow;
        expect(limit).toBeGreaterThanOrEqual(0);
        if (limit > 0) expect(used).toBeLessThanOrEqual(each.contextWindow + 1e-6);
      }),
    );
  });
});

describe('the budget', () => {
  it('is what persona and question leave, in the encoding of the model', () => {
    const budget = budgetFor({ ...window, encoding: 'cl100k_base' }, { system: 300, question: 200 });
    expect(budget).toEqual({ tokensLeft: 8_000, encoding: 'cl100k_base' });
  });

  it('is nothing, not less, when the question alone fills the prompt', () => {
    expect(budgetFor(window, { system: 300, question: 90_000 }).tokensLeft).toBe(0);
  });
});

describe('what a message costs', () => {
  it('is its stored count when that was made in the same encoding', () => {
    expect(messageCost(row({ seq: 1, role: 'user', tokens: 17 }), 'o200k_base')).toBe(17);
  });

  it('is raised, never lowered, when the encoding changed', () => {
    const counted = row({ seq: 1, role: 'user', tokens: 17, encoding: 'o200k_base' });
    expect(messageCost(counted, 'cl100k_base')).toBe(51);
    expect(messageCost({ ...counted, encoding: 'cl100k_base' }, 'o200k_base')).toBe(19);
  });

  it('is at least its bytes and overhead while it has no count', () => {
    const message = row({ seq: 1, role: 'user', authorName: '陳', text: 'hé', tokens: null, encoding: null });
    expect(messageCost(message, 'o200k_base')).toBe(Buffer.byteLength('陳: hé') + MESSAGE_OVERHEAD);
  });

  it('without a count includes the quote that it carries', () => {
    const quote = { platformId: '1', authorId: 'bob', authorName: 'Bob', text: 'a long line' };
    const bare = row({ seq: 1, role: 'user', tokens: null });
    expect(messageCost({ ...bare, quote }, 'o200k_base')).toBeGreaterThan(messageCost(bare, 'o200k_base') + 11);
  });

  it('without a count is never less than the vocabulary counts', () => {
    const vocabulary = new Tiktoken(o200k);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.boolean(), (text, answer) => {
        const message = row({ seq: 1, role: answer ? 'assistant' : 'user', text, tokens: null });
        const real = vocabulary.encode(renderLine(message), [], []).length + MESSAGE_OVERHEAD;
        expect(messageCost(message, 'o200k_base')).toBeGreaterThanOrEqual(real);
      }),
    );
  });
});

describe('what a summary costs', () => {
  it('is its count in the encoding, and its heading and fences', () => {
    expect(summaryCost(summaryThrough(9, 40), 'o200k_base')).toBe(40 + SUMMARY_SECTION_TOKENS);
    expect(summaryCost(summaryThrough(9, 40), 'cl100k_base')).toBe(120 + SUMMARY_SECTION_TOKENS);
  });
});

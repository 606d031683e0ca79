import {
  BufferMemory,
  BufferWindowMemory,
  ConversationSummaryBufferMemory,
  ConversationSummaryMemory,
  ConversationTokenBufferMemory,
} from '@langchain/classic/memory';
import { trimMessages } from '@langchain/core/messages';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Strategy } from '../../src/conversation/settings.js';
import { planMemory } from '../../src/memory/plan.js';
import { anyRows } from './arbitraries.js';
import { AMPLE, historyOf, seqs } from './histories.js';
import {
  anyExchanges,
  asMessages,
  type Exchange,
  fromFirstQuestion,
  loaded,
  rowsOf,
  save,
  summarizer,
  texts,
  transcriptWords,
} from './langchain.js';

function ours(list: readonly Exchange[], strategy: Strategy): string[] {
  return texts(planMemory(historyOf(rowsOf(list)), strategy, AMPLE).messages);
}

describe('the same as LangChain', () => {
  it('buffer sends what BufferMemory sends', async () => {
    const anyCase = fc.asyncProperty(anyExchanges, async (list) => {
      const memory = new BufferMemory({ returnMessages: true });
      await save(memory, list);
      expect(ours(list, { name: 'buffer', maxTokens: 1_000_000 })).toEqual(await loaded(memory));
    });
    await fc.assert(anyCase, { numRuns: 200 });
  });

  it('window sends what BufferWindowMemory sends for k ≥ 1; in messages, for twice the k', async () => {
    const anyCase = fc.asyncProperty(anyExchanges, fc.integer({ min: 1, max: 14 }), async (list, k) => {
      const memory = new BufferWindowMemory({ returnMessages: true, k });
      await save(memory, list);
      const expected = await loaded(memory);
      expect(ours(list, { name: 'window', k, unit: 'turns' })).toEqual(expected);
      expect(ours(list, { name: 'window', k: 2 * k, unit: 'messages' })).toEqual(expected);
    });
    await fc.assert(anyCase, { numRuns: 200 });
  });

  it('token-buffer sends what ConversationTokenBufferMemory keeps, from its first question on', async () => {
    const anyCase = fc.asyncProperty(anyExchanges, fc.nat({ max: 60 }), async (list, maxTokens) => {
      const memory = new ConversationTokenBufferMemory({
        llm: summarizer(),
        maxTokenLimit: maxTokens,
        returnMessages: true,
      });
      await save(memory, list);
      const expected = fromFirstQuestion(await loaded(memory), list);
      expect(ours(list, { name: 'token-buffer', maxTokens })).toEqual(expected);
    });
    await fc.assert(anyCase, { numRuns: 300 });
  });

  it('token-buffer sends what trimMessages with startOn human sends, on any order of roles', async () => {
    const anyCase = fc.asyncProperty(anyRows, fc.nat({ max: 120 }), async (rows, maxTokens) => {
      const counted = rows.map((row, i) => ({ ...row, text: `m${i}`, tokens: 2, encoding: 'o200k_base' }));
      const trimmed = await trimMessages(asMessages(counted), {
        maxTokens,
        strategy: 'last',
        startOn: 'human',
        tokenCounter: transcriptWords,
      });
      const plan = planMemory(historyOf(counted), { name: 'token-buffer', maxTokens }, AMPLE);
      expect(texts(plan.messages)).toEqual(texts(trimmed));
    });
    await fc.assert(anyCase, { numRuns: 300 });
  });

  it('summary-buffer folds first at the turn at which ConversationSummaryBufferMemory does', async () => {
    const anyCase = fc.asyncProperty(anyExchanges, fc.integer({ min: 4, max: 60 }), async (list, max) => {
      const llm = summarizer();
      const memory = new ConversationSummaryBufferMemory({ llm, maxTokenLimit: max, returnMessages: true });
      const limit = { unit: 'tokens' as const, max, keep: max - 1 };
      for (const [index, exchange] of list.entries()) {
        await save(memory, [exchange]);
        const stored = rowsOf(list.slice(0, index + 1));
        const plan = planMemory(historyOf(stored), { name: 'summary-buffer', limit, maxSummaryTokens: 50 }, AMPLE);
        const overflows = llm.asked.length > 0;
        if (plan.foldThrough !== null) expect(overflows).toBe(true);
        if (overflows) return;
        expect(texts(plan.messages)).toEqual(await loaded(memory));
      }
    });
    await fc.assert(anyCase, { numRuns: 200 });
  });

  it('summary folds after every turn just what ConversationSummaryMemory hands to its model', async () => {
    const anyCase = fc.asyncProperty(anyExchanges, async (list) => {
      const llm = summarizer();
      const memory = new ConversationSummaryMemory({ llm, returnMessages: true });
      for (const [index, exchange] of list.entries()) {
        await save(memory, [exchange]);
        const live = rowsOf(list.slice(0, index + 1)).slice(2 * index);
        const plan = planMemory(historyOf(live), { name: 'summary', maxSummaryTokens: 50 }, AMPLE);
        expect(plan.foldThrough).toBe(seqs(live).at(-1));
        const transcript = live.map(({ role, text }) => `${role === 'user' ? 'Human' : 'AI'}: ${text}`).join('\n');
        const lines = llm.asked[index]!.split('New lines of conversation:\n').at(-1)!;
        expect(lines.split('\n\nNew summary:')[0]).toBe(transcript);
      }
      expect(llm.asked).toHaveLength(list.length);
    });
    await fc.assert(anyCase, { numRuns: 60 });
  });
});

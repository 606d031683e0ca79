import { ConversationSummaryBufferMemory } from '@langchain/classic/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planMemory } from '../../src/memory/plan.js';
import { AMPLE, historyOf } from './histories.js';
import { anyExchanges, loaded, rowsOf, save, summarizer, texts, words } from './langchain.js';

describe('summary-buffer, stricter than LangChain', () => {
  it('a fold under summary-buffer leaves whole turns where LangChain leaves half of one', async () => {
    const list = [
      { input: 'h1', output: 'a1 w w w w' },
      { input: 'h2', output: 'a2' },
    ];
    const memory = new ConversationSummaryBufferMemory({ llm: summarizer(), maxTokenLimit: 10, returnMessages: true });
    await save(memory, list);
    expect(await loaded(memory)).toEqual(['S1', 'a1 w w w w', 'h2', 'a2']);
    const limit = { unit: 'tokens' as const, max: 10, keep: 9 };
    const plan = planMemory(historyOf(rowsOf(list)), { name: 'summary-buffer', limit, maxSummaryTokens: 50 }, AMPLE);
    expect(plan.foldThrough).toBe(2);
  });

  it('after the first overflow less stays live than in LangChain, or the newest turn', async () => {
    const anyCase = fc.asyncProperty(anyExchanges, fc.integer({ min: 4, max: 40 }), async (list, max) => {
      const llm = summarizer();
      const memory = new ConversationSummaryBufferMemory({ llm, maxTokenLimit: max, returnMessages: true });
      for (const [index, exchange] of list.entries()) {
        await save(memory, [exchange]);
        if (llm.asked.length === 0) continue;
        const stored = rowsOf(list.slice(0, index + 1));
        const limit = { unit: 'tokens' as const, max, keep: max - 1 };
        const plan = planMemory(historyOf(stored), { name: 'summary-buffer', limit, maxSummaryTokens: 50 }, AMPLE);
        const left = texts(stored.filter(({ seq }) => seq > (plan.foldThrough ?? 0)));
        const theirs = (await loaded(memory)).slice(1);
        const newestTurn = [exchange.input, exchange.output];
        expect(left.length <= theirs.length || left.join() === newestTurn.join()).toBe(true);
        return;
      }
    });
    await fc.assert(anyCase, { numRuns: 200 });
  });

  it('hysteresis costs a fraction of the calls of the model', async () => {
    const list = Array.from({ length: 40 }, (_, i) => ({
      input: `h${i} ${'w '.repeat(18)}`,
      output: `a${i} ${'w '.repeat(18)}`,
    }));
    const llm = summarizer();
    const memory = new ConversationSummaryBufferMemory({ llm, maxTokenLimit: 400, returnMessages: true });
    await save(memory, list);
    const limit = { unit: 'tokens' as const, max: 400, keep: 200 };
    let folds = 0;
    let watermark = 0;
    for (const index of list.keys()) {
      const live = rowsOf(list.slice(0, index + 1)).filter(({ seq }) => seq > watermark);
      const plan = planMemory(historyOf(live), { name: 'summary-buffer', limit, maxSummaryTokens: 50 }, AMPLE);
      if (plan.foldThrough !== null) folds += 1;
      watermark = plan.foldThrough ?? watermark;
    }
    expect(llm.asked.length).toBe(30);
    expect(folds).toBe(5);
    expect(words(llm.asked.at(-1)!)).toBeGreaterThan(1_000);
  });
});

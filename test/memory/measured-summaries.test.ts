import { ConversationSummaryBufferMemory, ConversationSummaryMemory } from '@langchain/classic/memory';
import { InMemoryChatMessageHistory } from '@langchain/core/chat_history';
import { describe, expect, it } from 'vitest';
import type { Strategy } from '../../src/conversation/settings.js';
import { SUMMARY_SECTION_TOKENS } from '../../src/memory/budget.js';
import { planMemory } from '../../src/memory/plan.js';
import { AMPLE, historyOf, summaryThrough } from './histories.js';
import { type Exchange, exchanges, loaded, rowsOf, save, summarizer, texts } from './langchain.js';

const summaryBuffer = (max: number, keep: number): Strategy => ({
  name: 'summary-buffer',
  limit: { unit: 'tokens', max, keep },
  maxSummaryTokens: 50,
});

describe('summary', () => {
  it('R1, stricter than LangChain: before the first fold there is no summary, not an empty one', async () => {
    const memory = new ConversationSummaryMemory({ llm: summarizer(), returnMessages: true });
    expect(await loaded(memory)).toEqual(['']);
    const plan = planMemory(historyOf([]), { name: 'summary', maxSummaryTokens: 50 }, AMPLE);
    expect(plan.summary).toBeNull();
  });

  it('R2: three turns are folded in three calls, and the summary alone is left', async () => {
    const llm = summarizer();
    const memory = new ConversationSummaryMemory({ llm, returnMessages: true });
    await save(memory, exchanges(3));
    expect(await loaded(memory)).toEqual(['S3']);
    expect(llm.asked).toHaveLength(3);
    const plan = planMemory(
      historyOf([], { summary: summaryThrough(6) }),
      { name: 'summary', maxSummaryTokens: 50 },
      AMPLE,
    );
    expect(plan).toMatchObject({ messages: [], foldThrough: null, summary: { throughSeq: 6 } });
  });

  it('R3, stricter than LangChain: the summary is read from the history, so a new start has it', async () => {
    const chatHistory = new InMemoryChatMessageHistory();
    await save(new ConversationSummaryMemory({ llm: summarizer(), chatHistory }), exchanges(3));
    const restarted = new ConversationSummaryMemory({ llm: summarizer(), chatHistory, returnMessages: true });
    expect(await loaded(restarted)).toEqual(['']);
    const stored = historyOf([], { summary: summaryThrough(6) });
    expect(planMemory(stored, { name: 'summary', maxSummaryTokens: 50 }, AMPLE).summary).toBe(stored.summary);
  });
});

async function theirBuffer(limit: number, list: readonly Exchange[]) {
  const llm = summarizer();
  const memory = new ConversationSummaryBufferMemory({ llm, maxTokenLimit: limit, returnMessages: true });
  await save(memory, list);
  return { sent: await loaded(memory), calls: llm.asked.length };
}

describe('summary-buffer', () => {
  it('B1: two turns that fill the limit are sent as they are, without a fold', async () => {
    expect(await theirBuffer(8, exchanges(2))).toEqual({ sent: ['h1', 'a1', 'h2', 'a2'], calls: 0 });
    const plan = planMemory(historyOf(rowsOf(exchanges(2))), summaryBuffer(8, 7), AMPLE);
    expect(texts(plan.messages)).toEqual(['h1', 'a1', 'h2', 'a2']);
    expect(plan.foldThrough).toBeNull();
  });

  it('B2: the third turn has the oldest folded', async () => {
    expect(await theirBuffer(8, exchanges(3))).toEqual({ sent: ['S1', 'h2', 'a2', 'h3', 'a3'], calls: 1 });
    expect(planMemory(historyOf(rowsOf(exchanges(3))), summaryBuffer(8, 7), AMPLE).foldThrough).toBe(4);
    expect(planMemory(historyOf(rowsOf(exchanges(3))), summaryBuffer(11, 8), AMPLE).foldThrough).toBe(2);
  });

  it('B2, stricter than LangChain: the summary counts in the budget', () => {
    const stored = historyOf(rowsOf(exchanges(3)).slice(2), { summary: summaryThrough(2, 2) });
    const tokensLeft = 2 + SUMMARY_SECTION_TOKENS + 7;
    const plan = planMemory(stored, summaryBuffer(8, 7), { tokensLeft, encoding: 'o200k_base' });
    expect(plan.summary).toBe(stored.summary);
    expect(texts(plan.messages)).toEqual(['h3', 'a3']);
  });

  it('B4, stricter than LangChain: what is folded is not sent and not folded again', async () => {
    const { sent, calls } = await theirBuffer(8, exchanges(6));
    expect({ sent: sent.length, calls }).toEqual({ sent: 11, calls: 4 });
    const live = rowsOf(exchanges(6)).slice(8);
    const plan = planMemory(historyOf(live, { summary: summaryThrough(8, 2) }), summaryBuffer(8, 4), AMPLE);
    expect(texts(plan.messages)).toEqual(['h5', 'a5', 'h6', 'a6']);
    expect(plan.foldThrough).toBeNull();
  });

  it('B8, stricter than LangChain: one huge newest turn stays live, never folded', async () => {
    const huge = [{ input: 'h1 w w w', output: 'a1 w w w w' }];
    expect((await theirBuffer(5, huge)).sent).toEqual(['S1']);
    const plan = planMemory(historyOf(rowsOf(huge)), summaryBuffer(6, 2), AMPLE);
    expect(plan.foldThrough).toBeNull();
    expect(texts(plan.messages)).toEqual(['h1 w w w', 'a1 w w w w']);
  });
});

import { BufferWindowMemory, ConversationTokenBufferMemory } from '@langchain/classic/memory';
import { InMemoryChatMessageHistory } from '@langchain/core/chat_history';
import { describe, expect, it } from 'vitest';
import { CommandError } from '../../src/conversation/errors.js';
import type { Strategy } from '../../src/conversation/settings.js';
import { planMemory } from '../../src/memory/plan.js';
import { parseStrategy } from '../../src/memory/strategy-options.js';
import { AMPLE, historyOf } from './histories.js';
import { CopyingHistory, type Exchange, exchanges, loaded, rowsOf, save, summarizer, texts } from './langchain.js';

function ours(list: readonly Exchange[], strategy: Strategy): string[] {
  return texts(planMemory(historyOf(rowsOf(list)), strategy, AMPLE).messages);
}

const ALL_8 = ['h1', 'a1', 'h2', 'a2', 'h3', 'a3', 'h4', 'a4'];

async function theirWindow(k: number): Promise<string[]> {
  const memory = new BufferWindowMemory({ k, returnMessages: true });
  await save(memory, exchanges(4));
  return loaded(memory);
}

describe('window over four turns', () => {
  it.each([
    ['W1', 1, ['h4', 'a4']],
    ['W2', 2, ['h3', 'a3', 'h4', 'a4']],
    ['W3', 5, ALL_8],
  ])('%s: k=%i is LangChain’s', async (_, k, expected) => {
    expect(await theirWindow(k)).toEqual(expected);
    expect(ours(exchanges(4), { name: 'window', k, unit: 'turns' })).toEqual(expected);
  });

  it('W4, stricter than LangChain.js: k=0 sends nothing, as in Python, not everything', async () => {
    expect(await theirWindow(0)).toEqual(ALL_8);
    expect(ours(exchanges(4), { name: 'window', k: 0, unit: 'turns' })).toEqual([]);
    expect(ours(exchanges(4), { name: 'window', k: 0, unit: 'messages' })).toEqual([]);
  });

  it.each([
    ['W5', -1, ['h2', 'a2', 'h3', 'a3', 'h4', 'a4']],
    ['W6', 1.5, ['a3', 'h4', 'a4']],
  ])(
    '%s, stricter than LangChain: k=%d is refused, since what it would carry means nothing',
    async (_, k, expected) => {
      expect(await theirWindow(k)).toEqual(expected);
      expect(() => parseStrategy('window', { k, unit: 'turns' })).toThrow(CommandError);
    },
  );

  it('W7, stricter than LangChain: after unanswered talk no window begins with an answer', async () => {
    const chatHistory = new InMemoryChatMessageHistory();
    await save(new BufferWindowMemory({ chatHistory }), exchanges(1));
    await chatHistory.addUserMessage('h2');
    const memory = new BufferWindowMemory({ chatHistory, k: 1, returnMessages: true });
    expect(await loaded(memory)).toEqual(['a1', 'h2']);
    const stored = historyOf(rowsOf(exchanges(2)).slice(0, 3));
    expect(texts(planMemory(stored, { name: 'window', k: 2, unit: 'messages' }, AMPLE).messages)).toEqual(['h2']);
  });
});

async function theirTokens(limit: number, list: readonly Exchange[], chatHistory = new InMemoryChatMessageHistory()) {
  const llm = summarizer();
  const memory = new ConversationTokenBufferMemory({ llm, maxTokenLimit: limit, returnMessages: true, chatHistory });
  await save(memory, list);
  return loaded(memory);
}

const tokenBuffer = (maxTokens: number): Strategy => ({ name: 'token-buffer', maxTokens });

describe('token-buffer', () => {
  it.each([
    ['T1', 0, []],
    ['T3', 8, ['h3', 'a3', 'h4', 'a4']],
  ])('%s: limit %i is LangChain’s', async (_, limit, expected) => {
    expect(await theirTokens(limit, exchanges(4))).toEqual(expected);
    expect(ours(exchanges(4), tokenBuffer(limit))).toEqual(expected);
  });

  it('T2, stricter than LangChain: a limit that cuts a turn leaves its answer out too', async () => {
    expect(await theirTokens(6, exchanges(4))).toEqual(['a3', 'h4', 'a4']);
    expect(ours(exchanges(4), tokenBuffer(6))).toEqual(['h4', 'a4']);
  });

  it.each([0, 6, 8])(
    'T4, stricter than LangChain: limit %i also holds on a history that returns copies',
    async (limit) => {
      expect(await theirTokens(limit, exchanges(4), new CopyingHistory())).toEqual(ALL_8);
      expect(ours(exchanges(4), tokenBuffer(limit)).length).toBeLessThanOrEqual(limit / 2);
    },
  );

  it('T5: an answer that does not fit leaves nothing, and the next turn stands alone', async () => {
    const list = [{ input: 'h1', output: 'a1 w w w w w w w w w' }, ...exchanges(2).slice(1)];
    expect(await theirTokens(7, list.slice(0, 1))).toEqual([]);
    expect(ours(list.slice(0, 1), tokenBuffer(7))).toEqual([]);
    expect(await theirTokens(7, list)).toEqual(['h2', 'a2']);
    expect(ours(list, tokenBuffer(7))).toEqual(['h2', 'a2']);
  });

  it('T6: a question of three words and its answer fit into 6 without what came before', async () => {
    const list = [...exchanges(1), { input: 'q w w', output: 'a2' }];
    expect(await theirTokens(6, list)).toEqual(['q w w', 'a2']);
    expect(ours(list, tokenBuffer(6))).toEqual(['q w w', 'a2']);
  });

  it('T8, stricter than LangChain: the limit holds at once on what was stored before', async () => {
    const chatHistory = new InMemoryChatMessageHistory();
    await save(new BufferWindowMemory({ chatHistory }), exchanges(5));
    expect(await theirTokens(6, [], chatHistory)).toHaveLength(10);
    expect(ours(exchanges(5), tokenBuffer(6))).toEqual(['h5', 'a5']);
  });

  it('T10, stricter than LangChain: a limit of −1 is refused, where LangChain never returns', () => {
    expect(() => parseStrategy('token-buffer', { max_tokens: -1 })).toThrow(CommandError);
  });
});

import { AIMessageChunk } from '@langchain/core/messages';
import { RunnableLambda } from '@langchain/core/runnables';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { describe, expect, it } from 'vitest';
import type { Completion, Prompt } from '../../src/conversation/model.js';
import { createSummaryModel, withSessionMemory } from '../../src/langchain/index.js';
import { call, echo, lines, openMemory } from './memory.js';

const PROMPT: Prompt = { system: 'sum up', messages: [{ role: 'user', content: 'talk' }] };

/** A runnable that streams these chunks and remembers what it was sent. */
function streaming(...chunks: AIMessageChunk[]) {
  const received: string[][] = [];
  const model = RunnableLambda.from(async function* (messages: never) {
    received.push(lines(messages));
    yield* chunks;
  } as never) as unknown as FakeListChatModel;
  return { model, received };
}

async function read(model: FakeListChatModel, fields: { timeoutMs?: number; signal?: AbortSignal } = {}) {
  const { signal, ...rest } = fields;
  const stream = createSummaryModel(model, { id: 'm', ...rest }).stream(PROMPT, {
    task: 'summary',
    maxTokens: 50,
    signal,
  });
  let text = '';
  for (;;) {
    const step = await stream.next();
    if (step.done) return { text, completion: step.value };
    text += step.value;
  }
}

describe('a summarizing model made of a LangChain model', () => {
  it('sends the prompt as it is and gives the text in pieces', async () => {
    const { model, received } = streaming(new AIMessageChunk('Ada '), new AIMessageChunk('greets.'));
    expect(await read(model)).toEqual({ text: 'Ada greets.', completion: { finish: 'stop', usage: null } });
    expect(received).toEqual([['system: sum up', 'human: talk']]);
  });

  it.each<[Record<string, string>, Completion['finish']]>([
    [{ finish_reason: 'stop' }, 'stop'],
    [{ finish_reason: 'length' }, 'length'],
    [{ finish_reason: 'content_filter' }, 'filtered'],
    [{ stop_reason: 'max_tokens' }, 'length'],
    [{ stop_reason: 'refusal' }, 'filtered'],
  ])('%j means %s', async (response_metadata, finish) => {
    const { model } = streaming(new AIMessageChunk({ content: 'x', response_metadata }), new AIMessageChunk(''));
    expect((await read(model)).completion.finish).toBe(finish);
  });

  it('passes on what the endpoint counted', async () => {
    const usage_metadata = { input_tokens: 7, output_tokens: 3, total_tokens: 10 };
    const { model } = streaming(new AIMessageChunk({ content: 'x', usage_metadata } as never));
    expect((await read(model)).completion.usage).toEqual({ input: 7, output: 3 });
  });

  it('ends with `timeout` when the model is silent for longer than it may', async () => {
    const silent = RunnableLambda.from(() => new Promise<never>(() => {})) as unknown as FakeListChatModel;
    await expect(read(silent, { timeoutMs: 5 })).rejects.toMatchObject({ name: 'ModelError', code: 'timeout' });
  });

  it('ends when it is aborted, and says why the model failed without its words', async () => {
    const { model } = streaming(new AIMessageChunk('x'));
    await expect(read(model, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'ModelError' });
    const broken = RunnableLambda.from(() => {
      throw new Error('key sk-secret is wrong');
    }) as unknown as FakeListChatModel;
    await expect(read(broken)).rejects.toMatchObject({
      code: 'rejected',
      message: 'The model that summarises gave no answer.',
    });
  });

  it('folds for a memory', async () => {
    const summaryModel = createSummaryModel(new FakeListChatModel({ responses: ['Ada greets.'] }), { id: 'fake' });
    const { memory, store } = await openMemory({ summaryModel });
    await withSessionMemory(echo().runnable, memory).invoke('hi', call('ada', { strategy: 'summary' }));
    await memory.settled(10_000);
    expect((await store.sessionFacts('ada')).summaries).toMatchObject([{ text: 'Ada greets.', model: 'fake' }]);
  });
});

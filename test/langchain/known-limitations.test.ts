import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { type Runnable, RunnableLambda, RunnableWithMessageHistory } from '@langchain/core/runnables';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SessionMessageHistory, withSessionMemory } from '../../src/langchain/index.js';
import { call, lines, openMemory } from './memory.js';

const printed: unknown[][] = [];
const print = console.warn;

beforeEach(() => {
  printed.length = 0;
  console.warn = (...words: unknown[]) => void printed.push(words);
});

afterEach(() => {
  console.warn = print;
});

describe('known limitations of RunnableWithMessageHistory', () => {
  it('a question whose model fails is not remembered', async () => {
    const { memory } = await openMemory();
    const failing = RunnableLambda.from<BaseMessage[], BaseMessage>(() => {
      throw new Error('the model is down');
    });
    await expect(withSessionMemory(failing, memory).invoke('hi', call('ada'))).rejects.toThrow('the model is down');
    expect(await memory.history('ada').getMessages()).toEqual([]);
  });

  it('of a stream that its reader leaves early, neither question nor answer is remembered', async () => {
    const { memory } = await openMemory();
    const talkative = RunnableLambda.from(async function* () {
      yield new AIMessageChunk('good ');
      yield new AIMessageChunk('day');
    } as never) as unknown as Runnable<BaseMessage[], BaseMessage>;
    for await (const piece of await withSessionMemory(talkative, memory).stream('hi', call('ada'))) {
      expect(piece.text).toBe('good ');
      break;
    }
    expect(await memory.history('ada').getMessages()).toEqual([]);
  });

  it('a write that fails is only printed, while ours rejects and prints nothing', async () => {
    const { memory, store } = await openMemory();
    const calling = RunnableLambda.from<BaseMessage[], BaseMessage>(
      () => new AIMessage({ content: '', tool_calls: [{ id: 'c', name: 'add', args: {} }] }),
    );
    const getMessageHistory = (sessionId: string) => new SessionMessageHistory({ store, sessionId });
    const plain = new RunnableWithMessageHistory({ runnable: calling, getMessageHistory });
    await expect(plain.invoke('hi' as never, call('ada'))).resolves.toBeInstanceOf(AIMessage);
    expect(printed.flat().join(' ')).toMatch(/not a tool call/);
    printed.length = 0;
    await expect(withSessionMemory(calling, memory).invoke('hi', call('ada'))).rejects.toThrow(/not a tool call/);
    expect(printed).toEqual([]);
  });

  it('an output that holds no message is only printed, while ours rejects with the remedy', async () => {
    const { memory } = await openMemory();
    const verbose = RunnableLambda.from<BaseMessage[], object>(() => ({ text: 'yes', cost: 1 }));
    const stored = withSessionMemory(verbose, memory, { outputMessagesKey: 'text' });
    await expect(withSessionMemory(verbose, memory).invoke('hi', call('ada'))).rejects.toThrow(/`outputMessagesKey`/);
    expect(await stored.invoke('hi', call('ada'))).toEqual({ text: 'yes', cost: 1 });
    expect(lines(await memory.history('ada').getMessages())).toEqual(['human: hi', 'ai: yes']);
  });

  it('over a plain history, calls that run at once lose a question, while ours keeps it', async () => {
    const { memory, store } = await openMemory();
    const getMessageHistory = (sessionId: string) => new SessionMessageHistory({ store, sessionId });
    const plain = new RunnableWithMessageHistory({ runnable: overtaken(), getMessageHistory });
    await overtake((question) => plain.invoke(question as never, call('plain')));
    expect(lines(await memory.history('plain').getMessages())).toEqual(['human: fast', 'ai: a', 'ai: a']);
    const ours = withSessionMemory(overtaken(), memory);
    await overtake((question) => ours.invoke(question, call('ours')));
    expect(lines(await memory.history('ours').getMessages())).toEqual(['human: fast', 'ai: a', 'human: slow', 'ai: a']);
  });
});

describe('what a store that fails does to a call', () => {
  it('rejects it after the answer, with the cause', async () => {
    const { memory, store } = await openMemory();
    const closing = RunnableLambda.from<BaseMessage[], BaseMessage>(async () => {
      await store.close();
      return new AIMessage('yes');
    });
    await expect(withSessionMemory(closing, memory).invoke('hi', call('ada'))).rejects.toThrow();
  });
});

let release = () => {};
let started = () => {};

/** A runnable whose answer to `slow` waits until it is released. */
function overtaken() {
  return RunnableLambda.from<BaseMessage[], BaseMessage>(async (messages) => {
    if (messages.at(-1)?.text === 'slow') {
      await new Promise<void>((resolve) => {
        release = resolve;
        started();
      });
    }
    return new AIMessage('a');
  });
}

/** Asks `slow`, then `fast` while it runs, and lets `slow` end last. */
async function overtake(ask: (question: string) => Promise<unknown>) {
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  const slow = ask('slow');
  await running;
  await ask('fast');
  release();
  await slow;
}

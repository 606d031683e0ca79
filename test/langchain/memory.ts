import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { RunnableLambda } from '@langchain/core/runnables';
import { createSessionMemory } from '../../src/langchain/index.js';
import type { MemoryParts } from '../../src/langchain/session-memory.js';
import { createLogger } from '../../src/logger.js';
import { openStore } from '../../src/storage/open.js';
import { halvesCounter, scriptedModel } from '../support/scripted-model.js';

/** A memory over an empty store, whose summarizer says `summary 1`, `summary 2` … by default. */
export async function openMemory(given: Partial<MemoryParts> = {}) {
  const store = given.store ?? (await openStore(':memory:'));
  const summarizer = scriptedModel((_prompt, _call, n) => `summary ${n}`);
  const parts = {
    counter: halvesCounter,
    summaryModel: summarizer,
    logger: createLogger('silent'),
    clock: () => 1_000,
  };
  const figuresOf = () => ({ contextWindow: 128_000, encoding: 'o200k_base', safety: 0.05 }) as const;
  const memory = createSessionMemory({ ...parts, figuresOf, ...given, store });
  return { store, summarizer, memory };
}

/** A runnable from messages to an answer, `a: <last text>`, that remembers what it was sent. */
export function echo() {
  const received: string[][] = [];
  const runnable = RunnableLambda.from<BaseMessage[], BaseMessage>((messages) => {
    received.push(lines(messages));
    return new AIMessage(`a: ${messages.at(-1)?.text}`);
  });
  return { received, runnable };
}

/** Kind and text of each message. */
export function lines(messages: readonly BaseMessage[]): string[] {
  return messages.map((message) => `${message.getType()}: ${message.text}`);
}

/** `turns` questions and answers of 40 characters each, `question 1 …` and `answer 1 …`. */
export function talk(turns: number): BaseMessage[] {
  return Array.from({ length: turns }, (_, n) => [
    new HumanMessage(`question ${n + 1} `.padEnd(40, '.')),
    new AIMessage(`answer ${n + 1} `.padEnd(40, '.')),
  ]).flat();
}

/** A call's config. */
export function call(sessionId: string, settings: Record<string, unknown> = {}) {
  return { configurable: { sessionId, ...settings } };
}

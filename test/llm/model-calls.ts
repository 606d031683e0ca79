import { afterEach, beforeAll, beforeEach, onTestFinished, vi } from 'vitest';
import { ModelError } from '../../src/conversation/errors.js';
import type { ChatModel, Completion, ModelCall, Prompt } from '../../src/conversation/model.js';
import { createOpenAIModel, type OpenAIModelOptions } from '../../src/llm/openai-model.js';
import { type FakeOpenAI, type FakeOpenAIOptions, startFakeOpenAI } from '../support/fake-openai/index.js';

const OPENAI = 'https://api.openai.com/v1';

/** Deadlines longer than any test takes. */
export const PATIENT = { firstByteMs: 20_000, idleMs: 20_000, totalMs: 20_000 };

/**
 * Gives each test of a file an endpoint of its own. LangChain's module is loaded beforehand: that takes longer than the
 * deadlines that tests set.
 */
export function useFakeOpenAI(options: FakeOpenAIOptions = {}): FakeOpenAI {
  const fake = {} as FakeOpenAI;
  beforeAll(() => import('@langchain/openai'));
  beforeEach(async () => void Object.assign(fake, await startFakeOpenAI(options)));
  afterEach(() => fake.close());
  return fake;
}

/** A prompt with one question. */
export function ask(question: string): Prompt {
  return { system: 'You are a friend.', messages: [{ role: 'user', content: question }] };
}

/** A model of the fake endpoint that hardly waits between attempts. */
export function modelOf(fake: Pick<FakeOpenAI, 'baseUrl'>, options: Partial<OpenAIModelOptions> = {}): ChatModel {
  return createOpenAIModel({
    model: 'fake-model',
    apiKey: 'sk-secret-key',
    baseUrl: fake.baseUrl,
    contextWindow: undefined,
    deadlines: PATIENT,
    retries: { max: 2, backoffMs: 1 },
    ...options,
  });
}

/** A model at OpenAI's own address; the fake endpoint answers in OpenAI's place for the rest of the test. */
export function modelAtOpenAI(fake: FakeOpenAI, options: Partial<OpenAIModelOptions> = {}): ChatModel {
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => fetch(url.replace(OPENAI, fake.baseUrl), init));
  onTestFinished(() => void vi.unstubAllGlobals());
  return modelOf({ baseUrl: OPENAI }, options);
}

/** Reads a stream to its end. */
export async function readAll(stream: AsyncGenerator<string, Completion, void>) {
  const pieces: string[] = [];
  for (;;) {
    const step = await stream.next();
    if (step.done === true) return { text: pieces.join(''), pieces, ...step.value };
    pieces.push(step.value);
  }
}

/** One call, read to its end. */
export function call(model: ChatModel, prompt: Prompt = ask('Hello?'), options: Partial<ModelCall> = {}) {
  return readAll(model.stream(prompt, { task: 'answer', maxTokens: 100, ...options }));
}

/** Returns the error of a call, and throws if it succeeds. */
export async function failureOf(work: Promise<unknown>): Promise<ModelError> {
  const outcome = await work.then(
    (value) => new Error(`expected a failure, got ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof ModelError) return outcome;
  throw outcome;
}

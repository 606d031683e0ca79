import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FakeOpenAI, failure, page, startFakeOpenAI, stream } from '../support/fake-openai/index.js';
import { call, failureOf, modelOf } from './model-calls.js';

const printed: unknown[] = [];
const { error, warn, log, info, debug } = console;
let fake: FakeOpenAI;

// The SDK keeps hold of the console that it finds at its first call, so this must come before.
beforeAll(async () => {
  const note = (...values: unknown[]) => void printed.push(values);
  Object.assign(console, { error: note, warn: note, log: note, info: note, debug: note });
  fake = await startFakeOpenAI();
});
afterAll(async () => {
  Object.assign(console, { error, warn, log, info, debug });
  await fake.close();
});

it('a call prints nothing, even where the SDK would print a broken chunk', async () => {
  process.env.OPENAI_LOG = 'debug';
  const scripts = [
    stream('Half an answer', { raw: 'data: {"choices": [{"delta": {"content": "secr\n\n' }),
    stream('Half an answer', { error: { message: 'overloaded' } }),
    stream('Half an answer', { reset: true }),
    failure(400, { message: 'bad' }),
    page(),
  ];
  fake.script(...scripts);
  for (const _ of scripts) await failureOf(call(modelOf(fake)));
  await call(modelOf(fake));
  delete process.env.OPENAI_LOG;
  expect(printed).toEqual([]);
});

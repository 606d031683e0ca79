import { awaitAllCallbacks } from '@langchain/core/callbacks/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { flushTraces, prepareTracing } from '../../src/llm/tracing.js';
import { type FakeOpenAI, startFakeOpenAI } from '../support/fake-openai/index.js';
import { type Collector, startCollector } from './langsmith-collector.js';
import { call, modelOf } from './model-calls.js';

let collector: Collector;
let fake: FakeOpenAI;
beforeAll(async () => {
  collector = await startCollector();
  fake = await startFakeOpenAI();
});
afterAll(async () => {
  await fake.close();
  await collector.close();
});

it('tracing that is off sends nothing, whatever the shell has set', async () => {
  const shell = {
    LANGSMITH_TRACING: 'true',
    LANGCHAIN_TRACING_V2: 'true',
    LANGSMITH_ENDPOINT: collector.url,
    LANGSMITH_API_KEY: 'ls-key',
    LANGSMITH_GATEWAY: collector.url,
  };
  Object.assign(process.env, shell);
  expect(prepareTracing(process.env, 'off')).toContain('LANGSMITH_TRACING');
  const metadata = { sessionId: 'discord:42', strategy: 'window' };
  expect((await call(modelOf(fake), undefined, { metadata })).finish).toBe('stop');
  await flushTraces(process.env);
  await awaitAllCallbacks();
  expect(collector.received).toEqual([]);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flushTraces, prepareTracing } from '../../src/llm/tracing.js';
import { answer, type FakeOpenAI, failure, startFakeOpenAI } from '../support/fake-openai/index.js';
import { type Collector, startCollector } from './langsmith-collector.js';
import { ask, call, failureOf, modelOf } from './model-calls.js';

let collector: Collector;
let fake: FakeOpenAI;
beforeAll(async () => {
  collector = await startCollector();
  fake = await startFakeOpenAI();
  Object.assign(process.env, { LANGSMITH_ENDPOINT: collector.url, LANGSMITH_API_KEY: 'ls-key' });
  process.env.LANGSMITH_DISABLE_RUN_COMPRESSION = 'true';
  prepareTracing(process.env, 'langsmith');
});
afterAll(async () => {
  prepareTracing(process.env, 'off');
  await fake.close();
  await collector.close();
});

const sent = () => collector.received.map(({ body }) => body).join('\n');
const metadata = { sessionId: 'discord:42', strategy: 'summary-buffer' };

describe('tracing that is on', () => {
  it('sends each call with its session and strategy, and never the key', async () => {
    fake.script(answer('Green tea.'));
    await call(modelOf(fake), ask('Which tea?'), { metadata });
    await flushTraces(process.env);
    for (const part of ['Which tea?', 'Green tea.', '"session_id":"discord:42"', '"strategy":"summary-buffer"']) {
      expect(sent()).toContain(part);
    }
    expect(sent()).not.toContain('sk-secret-key');
  });

  it('sends failed calls too, and the failure stays the same', async () => {
    fake.script(failure(400, { message: 'bad' }));
    expect((await failureOf(call(modelOf(fake), ask('Which failure?'), { metadata }))).code).toBe('rejected');
    await flushTraces(process.env);
    expect(sent()).toContain('Which failure?');
  });
});

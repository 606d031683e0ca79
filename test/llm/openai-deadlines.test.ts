import { describe, expect, it } from 'vitest';
import { withBreaker } from '../../src/llm/breaker.js';
import { answer, failure, forever, stream } from '../support/fake-openai/index.js';
import { ask, call, failureOf, modelOf, PATIENT, useFakeOpenAI } from './model-calls.js';

const fake = useFakeOpenAI();

const answering = { task: 'answer', maxTokens: 100 } as const;

describe('an endpoint that falls silent', () => {
  it.each([
    ['before its headers', { before: forever }],
    ['after its headers', stream({ wait: forever })],
    ['after an error’s headers', { status: 500, steps: [{ wait: forever }] }],
  ])('%s times out at the first-byte deadline, without a retry', async (_, script) => {
    fake.script(script, answer('Too late.'));
    const error = await failureOf(call(modelOf(fake, { deadlines: { ...PATIENT, firstByteMs: 100 } })));
    expect(error.code).toBe('timeout');
    expect(error.message).toContain('did not begin to answer within 100 ms');
    await Promise.all(fake.requests.map(({ closed }) => closed));
    expect(fake.requests.length).toBeLessThan(2);
  });

  it('after a word times out at the idle deadline, and the word is no answer', async () => {
    fake.script(stream('One', { wait: forever }));
    const reading = modelOf(fake, { deadlines: { ...PATIENT, idleMs: 100 } }).stream(ask('Hello?'), answering);
    expect((await reading.next()).value).toBe('One');
    const error = await failureOf(reading.next());
    expect(error.code).toBe('timeout');
    expect(error.message).toContain('fell silent');
    await (await fake.received(1)).closed;
  });

  it.each([
    ['before a word counts as a failure', stream({ wait: forever }), 'open'],
    ['after a word does not', stream('One', { wait: forever }), 'closed'],
    ['while it reasons does not', stream({ delta: { reasoning_content: 'Let me see' } }, { wait: forever }), 'closed'],
  ])('%s for the circuit breaker', async (_, script, status) => {
    fake.script(script, script, script);
    const model = withBreaker(modelOf(fake, { deadlines: { ...PATIENT, firstByteMs: 100, idleMs: 100 } }), Date.now);
    for (let i = 0; i < 3; i += 1) expect((await failureOf(call(model))).code).toBe('timeout');
    expect(model.breaker().status).toBe(status);
  });

  it('after its finish reason has answered completely', async () => {
    fake.script(stream('All of it.', { finish: 'stop' }, { wait: forever }));
    expect(await call(modelOf(fake))).toMatchObject({ text: 'All of it.', finish: 'stop' });
    await (await fake.received(1)).closed;
  });

  it('only with comment lines times out at the total deadline', async () => {
    const endless = Array.from({ length: 200_000 }, () => ({ raw: ': still thinking\n\n' }));
    fake.script({ steps: [...endless, { wait: forever }] });
    const error = await failureOf(call(modelOf(fake, { deadlines: { ...PATIENT, totalMs: 200 } })));
    expect(error.code).toBe('timeout');
    expect(error.message).toContain('did not finish within 200 ms');
    await Promise.all(fake.requests.map(({ closed }) => closed));
  });

  it('between failures is retried within the total deadline only', async () => {
    for (let n = 0; n < 50; n += 1) fake.script(failure(503, {}));
    const model = modelOf(fake, { deadlines: { ...PATIENT, totalMs: 300 }, retries: { max: 50, backoffMs: 20 } });
    expect(['server-error', 'timeout']).toContain((await failureOf(call(model))).code);
    expect(fake.requests.length).toBeLessThan(10);
  });
});

describe('a caller that cancels', () => {
  it('before the call makes no request', async () => {
    const error = await failureOf(call(modelOf(fake), ask('Hello?'), { signal: AbortSignal.abort() }));
    expect(error.code).toBe('cancelled');
    expect(fake.requests).toEqual([]);
  });

  it.each([
    ['before the headers', { before: forever }],
    ['before the first chunk', stream({ wait: forever })],
  ])('%s ends the call at once and closes the connection', async (_, script) => {
    fake.script(script);
    const cancel = new AbortController();
    const failed = failureOf(call(modelOf(fake), ask('Hello?'), { signal: cancel.signal }));
    const { closed } = await fake.received(1);
    cancel.abort();
    expect((await failed).code).toBe('cancelled');
    await closed;
  });

  it('in the middle of an answer ends it at once', async () => {
    fake.script(stream('One', { wait: forever }));
    const cancel = new AbortController();
    const reading = modelOf(fake).stream(ask('Hello?'), { ...answering, signal: cancel.signal });
    await reading.next();
    cancel.abort();
    expect((await failureOf(reading.next())).code).toBe('cancelled');
    await (await fake.received(1)).closed;
  });

  it('during the delay before a retry ends the call at once', async () => {
    fake.script(failure(429, {}, { 'retry-after': '15' }));
    const cancel = new AbortController();
    const failed = failureOf(call(modelOf(fake), ask('Hello?'), { signal: cancel.signal }));
    await (await fake.received(1)).closed;
    cancel.abort();
    expect((await failed).code).toBe('cancelled');
    expect(fake.requests).toHaveLength(1);
  });

  it('by reading no further closes the connection', async () => {
    fake.script(stream('One', ' two', { wait: forever }));
    for await (const piece of modelOf(fake).stream(ask('Hello?'), answering)) {
      expect(piece).toBe('One');
      break;
    }
    await (await fake.received(1)).closed;
  });

  it('later than the answer changes nothing and leaves no listener behind', async () => {
    const cancel = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = cancel.signal;
    cancel.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners += 1;
      addEventListener.apply(cancel.signal, args);
    };
    cancel.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners -= 1;
      removeEventListener.apply(cancel.signal, args);
    };
    expect((await call(modelOf(fake), ask('Hello?'), { signal: cancel.signal })).finish).toBe('stop');
    expect(listeners).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { answer, stream } from '../support/fake-openai/index.js';
import { gate } from '../support/gate.js';
import { ask, call, failureOf, modelAtOpenAI, modelOf, useFakeOpenAI } from './model-calls.js';

const fake = useFakeOpenAI();

describe('an answer', () => {
  it('comes in pieces and ends with its finish reason', async () => {
    fake.script(answer('All is well.'));
    const { pieces, finish, usage } = await call(modelOf(fake));
    expect(pieces).toEqual(['All ', 'is ', 'well.']);
    expect({ finish, usage }).toEqual({ finish: 'stop', usage: null });
  });

  it('is yielded while the endpoint is still writing', async () => {
    const go = gate();
    fake.script(stream('First', { wait: go.opened }, ' second', { finish: 'stop' }));
    const reading = modelOf(fake).stream(ask('Hello?'), { task: 'answer', maxTokens: 100 });
    expect(await reading.next()).toEqual({ done: false, value: 'First' });
    go.open();
    expect(await reading.next()).toEqual({ done: false, value: ' second' });
    expect(await reading.next()).toEqual({ done: true, value: { finish: 'stop', usage: null } });
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'filtered'],
    ['tool_calls', 'stop'],
    ['eos_token', 'stop'],
  ])('with the finish reason %s counts as %s', async (reason, finish) => {
    fake.script(answer('Some text', { finish: reason }));
    expect(await call(modelOf(fake))).toMatchObject({ text: 'Some text', finish });
  });

  it('is complete although the connection breaks after the finish reason', async () => {
    fake.script(
      stream('Done.', { finish: 'stop' }, { reset: true }),
      stream('Done.', { finish: 'stop' }, { end: true }),
    );
    expect(await call(modelOf(fake))).toMatchObject({ text: 'Done.', finish: 'stop' });
    expect(await call(modelOf(fake))).toMatchObject({ text: 'Done.', finish: 'stop' });
    expect(fake.requests).toHaveLength(2);
  });

  it('is not finished by an empty finish reason', async () => {
    fake.script(stream({ delta: { content: 'Half' }, finish: '' }, { end: true }));
    expect((await failureOf(call(modelOf(fake)))).code).toBe('cut-off');
  });

  it('may lack the role, and may carry comments and unknown fields', async () => {
    fake.script(
      stream({ raw: ': keep-alive\n\n' }, { delta: { content: 'Hi', extra: { a: [1] } } }, { raw: ': x\n\n' }, ' you', {
        finish: 'stop',
      }),
    );
    expect((await call(modelOf(fake))).text).toBe('Hi you');
  });

  it('is cut where it passes eight characters for each token asked for, and no more is read', async () => {
    fake.script(stream('😀'.repeat(3), ...Array.from({ length: 500 }, () => 'word '), { finish: 'stop' }));
    const { text, finish } = await call(modelOf(fake), ask('Hello?'), { maxTokens: 10 });
    expect(finish).toBe('length');
    expect(text.length).toBe(80);
    await (await fake.received(1)).closed;
  });

  it('is never cut inside a surrogate pair', async () => {
    fake.script(stream(`x${'😀'.repeat(60)}`, { finish: 'stop' }));
    const { text } = await call(modelOf(fake), ask('Hello?'), { maxTokens: 10 });
    expect(text).toBe(`x${'😀'.repeat(39)}`);
  });
});

describe('usage', () => {
  const reported = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };

  it('is asked for and read at OpenAI', async () => {
    fake.script(answer('Hi', { usage: reported }));
    expect((await call(modelAtOpenAI(fake))).usage).toEqual({ input: 12, output: 3 });
    expect(fake.chats()[0]?.stream_options).toEqual({ include_usage: true });
  });

  it('is not asked for elsewhere, but read when it comes', async () => {
    fake.script(answer('Hi', { usage: reported }));
    expect((await call(modelOf(fake))).usage).toEqual({ input: 12, output: 3 });
    expect(fake.chats()[0]?.stream_options).toBeUndefined();
  });

  it.each([
    ['missing', undefined],
    ['null', null],
    ['zero', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
    ['negative', { prompt_tokens: -5, completion_tokens: 3, total_tokens: -2 }],
    ['beyond any window', { prompt_tokens: 1e12, completion_tokens: 3, total_tokens: 1e12 }],
    ['a text', { prompt_tokens: 'many', completion_tokens: '3' }],
    ['a fraction', { prompt_tokens: 1.5, completion_tokens: 3 }],
    ['half of it', { prompt_tokens: 5 }],
  ])('that is %s counts as none', async (_, usage) => {
    fake.script(stream('Hi', { finish: 'stop' }, ...(usage === undefined ? [] : [{ usage }])));
    expect(await call(modelOf(fake))).toMatchObject({ text: 'Hi', finish: 'stop', usage: null });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ModelError, type ModelErrorCode } from '../../src/conversation/errors.js';
import { retryDelay } from '../../src/llm/deadlines.js';
import { answer, failure, page, type Script, stream } from '../support/fake-openai/index.js';
import { call, failureOf, modelOf, PATIENT, useFakeOpenAI } from './model-calls.js';

const fake = useFakeOpenAI();

const slowDown = (headers: Record<string, string> = {}) => failure(429, { message: 'Slow down' }, headers);

describe('a transient failure', () => {
  const transient: [string, Script][] = [
    ['429 without a header', slowDown()],
    ['429 that asks for a moment', slowDown({ 'retry-after-ms': '5' })],
    ['429 that asks for no time', slowDown({ 'retry-after': '0' })],
    ['500', failure(500, {})],
    ['502 HTML', page(502)],
    ['408', failure(408, {})],
    ['a reset before any text', stream({ delta: { role: 'assistant' } }, { reset: true })],
    ['an error event before any text', stream({ error: { message: 'overloaded' } })],
    ['a clean cut before any text', stream({ end: true })],
  ];

  it.each(transient)('%s is retried', async (_, script) => {
    fake.script(script, script, answer('At last.'));
    expect(await call(modelOf(fake))).toMatchObject({ text: 'At last.', finish: 'stop' });
    expect(fake.requests).toHaveLength(3);
    expect(new Set(fake.requests.map(({ body }) => body)).size).toBe(1);
  });

  it.each(transient)('%s is attempted three times, not more', async (_, script) => {
    fake.script(script, script, script, answer('Too late.'));
    await failureOf(call(modelOf(fake)));
    expect(fake.requests).toHaveLength(3);
  });
});

describe('a failure that is not transient', () => {
  it.each([
    ['401', failure(401, {}), 'bad-key'],
    ['404', failure(404, { message: 'model not found' }), 'unknown-model'],
    ['422', failure(422, {}), 'rejected'],
    ['a chat template’s 500', failure(500, { message: 'Conversation roles must alternate' }), 'rejected'],
    ['a spent quota', failure(429, { code: 'insufficient_quota' }, { 'retry-after': '1' }), 'quota'],
    ['an empty answer', stream({ finish: 'stop' }), 'empty-answer'],
    ['a web page', page(), 'not-an-api'],
  ])('%s is thrown at once', async (_, script, code) => {
    fake.script(script);
    expect((await failureOf(call(modelOf(fake)))).code).toBe(code);
    expect(fake.requests).toHaveLength(1);
  });

  it('a wait of ten minutes is thrown at once, with its length', async () => {
    fake.script(slowDown({ 'retry-after': '600' }));
    expect(await failureOf(call(modelOf(fake)))).toMatchObject({ code: 'rate-limited', retryAfter: 600_000 });
    expect(fake.requests).toHaveLength(1);
  });

  it('a wait until a date is thrown with its length', async () => {
    fake.script(slowDown({ 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }));
    const { retryAfter = 0 } = await failureOf(call(modelOf(fake)));
    expect(retryAfter).toBeGreaterThan(3_000_000);
    expect(retryAfter).toBeLessThanOrEqual(3_600_000);
  });

  it('a wait beyond the deadline is thrown at once', async () => {
    fake.script(slowDown({ 'retry-after': '50' }));
    const error = await failureOf(call(modelOf(fake, { deadlines: PATIENT })));
    expect(error).toMatchObject({ code: 'rate-limited', retryAfter: 50_000 });
    expect(fake.requests).toHaveLength(1);
  });
});

describe('the delay before a retry', () => {
  const codes: ModelErrorCode[] = [
    'unreachable',
    'rate-limited',
    'server-error',
    'cut-off',
    'timeout',
    'quota',
    'bad-key',
  ];
  const error = fc.record({
    code: fc.constantFrom(...codes),
    retryAfter: fc.option(fc.nat(200_000), { nil: undefined }),
  });

  it('is what the endpoint asks for, at most a minute, within the deadline, and grows', () => {
    fc.assert(
      fc.property(error, fc.nat(4), fc.nat(100_000), ({ code, retryAfter }, attempt, remaining) => {
        const pause = retryDelay(
          new ModelError(code, '', { retryAfter }),
          attempt,
          { max: 3, backoffMs: 100 },
          remaining,
        );
        if (pause === null) return;
        expect(pause).toBeGreaterThanOrEqual(Math.max(retryAfter ?? 0, 100 * 2 ** attempt));
        expect(pause).toBeLessThanOrEqual(60_000);
        expect(pause).toBeLessThan(remaining);
        expect(attempt).toBeLessThan(3);
        expect(['timeout', 'quota', 'bad-key']).not.toContain(code);
      }),
    );
  });

  it('is the endpoint’s when that fits the deadline', () => {
    const busy = new ModelError('rate-limited', '', { retryAfter: 2_000 });
    expect(retryDelay(busy, 0, { max: 2, backoffMs: 1 }, 90_000)).toBe(2_000);
  });
});

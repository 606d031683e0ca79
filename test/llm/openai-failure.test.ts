import { describe, expect, it } from 'vitest';
import { answer, failure, page, type Script, startFakeOpenAI, stream } from '../support/fake-openai/index.js';
import { ask, call, failureOf, modelOf, readAll, useFakeOpenAI } from './model-calls.js';

const fake = useFakeOpenAI();

const once = { retries: { max: 0, backoffMs: 1 } };
const role = { delta: { role: 'assistant', content: '' } };

const rows: [string, Script, string][] = [
  ['401', failure(401, { message: 'Incorrect API key provided: sk-sec*****key', code: 'invalid_api_key' }), 'bad-key'],
  ['403', failure(403, { message: 'Country not supported' }), 'bad-key'],
  ['402', failure(402, { message: 'Insufficient Balance' }), 'quota'],
  ['429 insufficient_quota', failure(429, { code: 'insufficient_quota' }), 'quota'],
  ['429 with a text about billing', failure(429, { message: 'Please check your plan and billing details.' }), 'quota'],
  ['429 without a header', failure(429, { message: 'Slow down' }), 'rate-limited'],
  [
    '404 of a model',
    failure(404, { message: 'The model `x` does not exist', code: 'model_not_found' }),
    'unknown-model',
  ],
  ['404 in Ollama’s words', failure(404, { message: 'model "x" not found, try pulling it first' }), 'unknown-model'],
  ['400 of a model', failure(400, { message: 'x is not a valid model ID' }), 'unknown-model'],
  [
    '404 of a path',
    { status: 404, headers: { 'content-type': 'text/plain' }, body: '404 page not found' },
    'not-an-api',
  ],
  ['404 HTML', page(404), 'not-an-api'],
  ['405', failure(405, {}), 'not-an-api'],
  ['400 content_filter', failure(400, { code: 'content_filter', message: 'management policy' }), 'filtered'],
  ['400', failure(400, { message: 'bad' }), 'rejected'],
  ['422 in FastAPI’s shape', { status: 422, json: { detail: [{ msg: 'Extra inputs' }] } }, 'rejected'],
  ['413', failure(413, { message: 'Payload' }), 'context-overflow'],
  ['500', failure(500, { message: 'boom' }), 'server-error'],
  ['502 HTML', page(502), 'server-error'],
  ['503 without a body', { status: 503, body: '' }, 'server-error'],
  ['500 of a chat template', failure(500, { message: 'Conversation roles must alternate user/assistant' }), 'rejected'],
  ['HTML at 200', page(), 'not-an-api'],
  [
    'HTML in an event stream',
    { steps: [{ raw: '<html><body>It works!</body></html>' }, { end: true }] },
    'empty-answer',
  ],
  ['JSON at 200 that is no completion', { json: { hello: 'world' } }, 'not-an-api'],
  ['broken JSON at 200', { body: '{"choices": [' }, 'not-an-api'],
  ['JSON without choices', { json: { id: 'x', object: 'chat.completion' } }, 'not-an-api'],
  ['a whole completion instead of a stream', { json: { choices: [{ message: { content: 'Hi' } }] } }, 'not-an-api'],
  ['an error at 200', { json: { error: { message: 'upstream', code: 429 } } }, 'rate-limited'],
  ['an error without a code at 200', { json: { error: { message: 'upstream failed' } } }, 'server-error'],
  ['a stream of no choices', stream({ raw: 'data: {"choices":[]}\n\n' }), 'empty-answer'],
  ['a stream of objects without choices', stream({ raw: 'data: {"a":1}\n\n' }, { end: true }), 'empty-answer'],
  ['only [DONE]', stream(), 'empty-answer'],
  ['an empty stream', stream({ end: true }), 'cut-off'],
  ['a clean cut', stream(role, { end: true }), 'cut-off'],
  ['[DONE] without a finish reason', stream(role, 'Hi'), 'cut-off'],
  ['a reset before the first chunk', stream({ reset: true }), 'cut-off'],
  ['a reset', stream(role, { reset: true }), 'cut-off'],
  ['an error event', stream(role, { error: { message: 'overloaded' } }), 'cut-off'],
  ['an error event with a status', stream(role, { error: { message: 'slow down', code: 429 } }), 'rate-limited'],
  ['a chunk of bad JSON', stream(role, { raw: 'data: {"choices": [{"delta": {"cont\n\n' }), 'cut-off'],
  ['null content', stream({ delta: { role: 'assistant', content: null } }, { finish: 'stop' }), 'empty-answer'],
  ['empty content', stream(role, { finish: 'stop' }), 'empty-answer'],
  ['only spaces', stream(' \n', '\t', { finish: 'stop' }), 'empty-answer'],
  ['a refusal', stream({ delta: { refusal: 'No.' } }, { finish: 'stop' }), 'empty-answer'],
  ['only a thought', stream('<think>Hm, ', 'so</think>\n', { finish: 'stop' }), 'empty-answer'],
  ['an unfinished thought', stream('<think>Hm, ', 'so', { finish: 'length' }), 'empty-answer'],
  ['only reasoning_content', stream({ delta: { reasoning_content: 'Hm' } }, { finish: 'stop' }), 'empty-answer'],
  ['nothing but a filter', stream(role, { finish: 'content_filter' }), 'filtered'],
];

describe('a failure of an endpoint', () => {
  it.each(rows)('%s', async (_, script, code) => {
    fake.script(script);
    const error = await failureOf(call(modelOf(fake, once)));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^[^\n]+\.$/);
  });

  it('connection refused', async () => {
    const gone = await startFakeOpenAI();
    await gone.close();
    const error = await failureOf(call(modelOf(gone)));
    expect(error.code).toBe('unreachable');
    expect(error.message).toContain(`127.0.0.1:${gone.port}`);
  });

  it('connection reset before the headers', async () => {
    fake.script({ before: Promise.resolve(), status: 200, steps: [{ reset: true }] });
    expect((await failureOf(call(modelOf(fake, once)))).code).toBe('cut-off');
  });

  it('does not show what the endpoint echoed: no key, no question, no answer', async () => {
    const secret = 'sk-secret-key and Hello?';
    fake.script(
      failure(401, { message: secret }),
      failure(400, { message: secret }),
      stream('Half an answer', { error: { message: secret } }),
      { json: { error: { message: secret } } },
    );
    for (let at = 0; at < 4; at += 1) {
      const { message } = await failureOf(call(modelOf(fake, once)));
      expect(message).not.toMatch(/secret|Hello|Half/);
    }
  });

  it('keeps the original error as its cause', async () => {
    fake.script(failure(401, { message: 'Incorrect API key' }));
    expect((await failureOf(call(modelOf(fake)))).cause).toMatchObject({ status: 401 });
  });
});

describe('text that came before a failure', () => {
  it('has been yielded, and the failure is thrown without a retry', async () => {
    for (const end of [{ end: true }, { reset: true }, { error: { message: 'x' } }, { raw: 'data: {\n\n' }] as const) {
      fake.script(stream('Half ', 'an answer', end), answer('Another answer'));
      const before = fake.requests.length;
      const pieces: string[] = [];
      const reading = modelOf(fake).stream(ask('Hello?'), { task: 'answer', maxTokens: 100 });
      const error = await failureOf(
        (async () => {
          for await (const piece of reading) pieces.push(piece);
        })(),
      );
      expect(error.code).toBe('cut-off');
      expect(pieces.join('')).toBe('Half an answer');
      expect(fake.requests.length).toBe(before + 1);
      await readAll(modelOf(fake).stream(ask('Hello?'), { task: 'answer', maxTokens: 100 }));
    }
  });

  it('is the answer when the content filter ends it, marked as filtered', async () => {
    fake.script(answer('As far as it goes', { finish: 'content_filter' }));
    expect(await call(modelOf(fake))).toMatchObject({ text: 'As far as it goes', finish: 'filtered' });
  });
});

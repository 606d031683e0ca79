import { describe, expect, it } from 'vitest';
import { failure, overflow, startFakeOpenAI, stream } from '../support/fake-openai/index.js';
import { ask, call, failureOf, modelOf, useFakeOpenAI } from './model-calls.js';

const fake = useFakeOpenAI();

describe('a prompt that is too long', () => {
  it.each([
    ['openai', 8192],
    ['openai-text', 8192],
    ['vllm', 8192],
    ['llama.cpp', 8192],
    ['llama.cpp-old', undefined],
    ['window', undefined],
    ['limit', 8192],
    ['ollama', undefined],
  ] as const)('is recognized in the dialect %s, with the limit if it is named', async (dialect, limit) => {
    fake.script(overflow(dialect, 8192, 9000));
    const error = await failureOf(call(modelOf(fake)));
    expect({ code: error.code, limit: error.limit }).toEqual({ code: 'context-overflow', limit });
    expect(fake.requests).toHaveLength(1);
  });

  it('is recognized in an error event of a stream', async () => {
    const message = "This model's maximum context length is 4096 tokens.";
    fake.script(stream({ error: { object: 'error', message, type: 'BadRequestError', code: 400 } }));
    expect(await failureOf(call(modelOf(fake)))).toMatchObject({ code: 'context-overflow', limit: 4096 });
  });

  it('is refused by the fake endpoint above its limit and accepted below', async () => {
    const small = await startFakeOpenAI({ contextLimit: { tokens: 50, dialect: 'openai' } });
    try {
      expect(await failureOf(call(modelOf(small), ask('word '.repeat(100))))).toMatchObject({ limit: 50 });
      expect((await call(modelOf(small), ask('word'))).finish).toBe('stop');
    } finally {
      await small.close();
    }
  });

  it.each([
    ["This model's maximum context length is 1,048,576 tokens.", 1_048_576],
    ['Prompt contains 40000 tokens, too large for model with 32768 maximum context length', 32_768],
    ['the model is loaded with context length of only 4096 tokens, which is not enough', 4096],
    ['input length (9000 tokens) exceeds the model’s maximum context length (8192 tokens)', 8192],
    ['The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
    ['prompt is too long: 210000 tokens > 200000 maximum', 200_000],
    ['the input length exceeds the context length', undefined],
  ])('is recognized in: %s', async (message, limit) => {
    fake.script(failure(400, { message }));
    expect(await failureOf(call(modelOf(fake)))).toMatchObject({ code: 'context-overflow', limit });
  });

  it.each(['Invalid value for max_tokens', 'The context of this question is unclear', 'model not found'])(
    'is not recognized in: %s',
    async (message) => {
      fake.script(failure(400, { message }));
      expect((await failureOf(call(modelOf(fake)))).code).not.toBe('context-overflow');
    },
  );
});

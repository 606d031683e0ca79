import { describe, expect, it } from 'vitest';
import { startFakeOpenAI } from '../support/fake-openai/index.js';
import { ask, call, modelAtOpenAI, modelOf, useFakeOpenAI } from './model-calls.js';

const fake = useFakeOpenAI();

const talk = {
  system: 'You are a friend.',
  messages: [
    { role: 'user' as const, content: 'Ada: I like tea.' },
    { role: 'assistant' as const, content: 'Noted.' },
    { role: 'user' as const, content: 'Bob: What does she like?' },
  ],
};

describe('a request', () => {
  it('holds one system message, the prompt as it is, and no field that few servers know', async () => {
    await call(modelOf(fake), talk, { maxTokens: 77, temperature: 0.5 });
    expect(fake.chats()).toEqual([
      {
        model: 'fake-model',
        stream: true,
        max_tokens: 77,
        temperature: 0.5,
        messages: [{ role: 'system', content: 'You are a friend.' }, ...talk.messages],
      },
    ]);
  });

  it('leaves the temperature to the endpoint when none is set', async () => {
    await call(modelOf(fake));
    expect(fake.chats()[0]).not.toHaveProperty('temperature');
  });

  it('carries images as parts of the last message', async () => {
    await call(modelOf(fake), { ...talk, images: [{ url: 'https://cdn.example/a.png' }] });
    expect(fake.chats()[0]?.messages.slice(1)).toEqual([
      ...talk.messages.slice(0, 2),
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Bob: What does she like?' },
          { type: 'image_url', image_url: { url: 'https://cdn.example/a.png', detail: 'low' } },
        ],
      },
    ]);
  });

  it('carries the configured key, never one from the environment', async () => {
    process.env.OPENAI_API_KEY = 'sk-of-the-environment';
    process.env.OPENAI_ORG_ID = 'org-of-the-environment';
    try {
      await call(modelOf(fake));
      await call(modelOf(fake, { apiKey: undefined }));
    } finally {
      delete process.env.OPENAI_API_KEY;
      delete process.env.OPENAI_ORG_ID;
    }
    expect(fake.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-secret-key', 'Bearer none']);
    expect(JSON.stringify(fake.requests)).not.toContain('of-the-environment');
  });

  it.each(['fake-model', 'o1', 'o3-mini', 'gpt-5', 'gpt-5-mini', 'gpt-5.2-pro', 'codex-mini', 'gpt-5.1-codex'])(
    'for a model called %s is accepted by a strict server',
    async (model) => {
      const strict = await startFakeOpenAI({ strict: true });
      try {
        await call(modelOf(strict, { model }), talk);
        expect(strict.chats()).toMatchObject([{ model, max_tokens: 100 }]);
      } finally {
        await strict.close();
      }
    },
  );

  it('to OpenAI puts token limit and system role as its reasoning models want them', async () => {
    for (const model of ['o3', 'gpt-5-mini']) await call(modelAtOpenAI(fake, { model }), talk, { temperature: 1 });
    await call(modelAtOpenAI(fake, { model: 'gpt-4o-mini' }), talk);
    expect(fake.chats().map(({ messages, ...rest }) => [messages[0]?.role, rest])).toEqual([
      ['developer', expect.objectContaining({ model: 'o3', max_completion_tokens: 100 })],
      ['developer', expect.objectContaining({ model: 'gpt-5-mini', max_completion_tokens: 100 })],
      ['system', expect.objectContaining({ model: 'gpt-4o-mini', max_tokens: 100 })],
    ]);
    expect(fake.chats()[0]).not.toHaveProperty('max_tokens');
    expect(fake.chats()[0]).not.toHaveProperty('temperature');
  });

  it('never goes to /responses, whatever the model is called', async () => {
    for (const modelAt of [modelAtOpenAI, modelOf]) {
      for (const model of ['gpt-5-codex', 'gpt-5.4-pro', 'gpt-5.5-pro']) await call(modelAt(fake, { model }));
    }
    expect(new Set(fake.requests.map(({ path }) => path))).toEqual(new Set(['/v1/chat/completions']));
    expect(fake.chats().map(({ model }) => model)).toEqual([
      ...['gpt-5-codex', 'gpt-5.4-pro', 'gpt-5.5-pro'],
      ...['gpt-5-codex', 'gpt-5.4-pro', 'gpt-5.5-pro'],
    ]);
  });

  it('goes to the base URL with or without a slash at its end', async () => {
    await call(modelOf({ baseUrl: `${fake.baseUrl}/` }), ask('Hello?'));
    expect(fake.requests[0]?.path).toBe('/v1/chat/completions');
  });

  it('is refused beforehand when the base URL is not a URL', () => {
    expect(() => modelOf({ baseUrl: 'localhost:11434' })).toThrow(/OPENAI_BASE_URL/);
  });
});

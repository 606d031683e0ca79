import { describe, expect, it } from 'vitest';
import { type ConnectionConfig, chooseModel } from '../../src/llm/choose-model.js';
import { startFakeOpenAI } from '../support/fake-openai/index.js';
import { call, PATIENT, useFakeOpenAI } from './model-calls.js';

const fake = useFakeOpenAI({ models: ['nomic-embed-text', 'llama3.2', 'qwen3'] });

function connect(config: Partial<ConnectionConfig> = {}) {
  return chooseModel({ model: 'gpt-4o-mini', modelWasSet: false, deadlines: PATIENT, probeLocal: false, ...config });
}

const local = () => ({ probeLocal: true, localServers: [{ port: fake.port, server: 'Ollama' }] });

describe('the connection', () => {
  it('goes to OpenAI when only a key is set', async () => {
    const { model, source, notice } = await connect({ apiKey: 'sk-secret', ...local() });
    expect(source).toBe('openai');
    expect(model).toMatchObject({ id: 'gpt-4o-mini', contextWindow: 128_000, safety: 0.05 });
    expect(notice).toBe('Using gpt-4o-mini at api.openai.com, because OPENAI_API_KEY is set.');
    expect(fake.requests).toEqual([]);
  });

  it('goes to the base URL when one is set, with a key or without', async () => {
    for (const apiKey of ['sk-secret', undefined]) {
      const { model, source, notice } = await connect({
        apiKey,
        baseUrl: fake.baseUrl,
        model: 'mine',
        modelWasSet: true,
      });
      expect(source).toBe('base-url');
      expect(notice).toBe(`Using mine at 127.0.0.1:${fake.port}, because OPENAI_BASE_URL is set.`);
      expect((await call(model)).text).toBe('You said: Hello?');
    }
    expect(fake.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-secret', 'Bearer none']);
  });

  it('chooses a model that the endpoint lists when none was named', async () => {
    expect((await connect({ baseUrl: fake.baseUrl })).model.id).toBe('llama3.2');
    const router = await startFakeOpenAI({ models: ['other/model', 'openai/gpt-4o-mini'] });
    try {
      expect((await connect({ baseUrl: router.baseUrl })).model.id).toBe('openai/gpt-4o-mini');
    } finally {
      await router.close();
    }
    expect((await connect({ baseUrl: router.baseUrl })).model.id).toBe('gpt-4o-mini');
  });

  it('goes to a server on this machine when neither is set', async () => {
    const { model, source, notice } = await connect(local());
    expect(source).toBe('local-server');
    expect(model).toMatchObject({ id: 'llama3.2', contextWindow: 4_096, safety: 0.2 });
    expect(notice).toContain(`Using llama3.2 of Ollama at 127.0.0.1:${fake.port}`);
    expect((await call(model)).finish).toBe('stop');
    expect((await connect({ ...local(), model: 'qwen3', modelWasSet: true })).model.id).toBe('qwen3');
  });

  it('is offline when no server is found, or when the probe is turned off', async () => {
    const nothing = await connect({ probeLocal: true, localServers: [] });
    const forbidden = await connect({ ...local(), probeLocal: false });
    for (const { model, summaryModel, source, notice, modelNamed } of [nothing, forbidden]) {
      expect(source).toBe('offline');
      expect(notice).toMatch(/^No language model is connected.*OPENAI_API_KEY/);
      expect(summaryModel).toBe(model);
      expect(modelNamed('gpt-4o')).toBe(model);
    }
    expect(fake.requests).toEqual([]);
  });

  it('uses one model for summaries too, unless another is named', async () => {
    const one = await connect({ apiKey: 'sk-secret' });
    expect(one.summaryModel).toBe(one.model);
    const two = await connect({ apiKey: 'sk-secret', summaryModel: 'gpt-4.1-nano' });
    expect(two.summaryModel).toMatchObject({ id: 'gpt-4.1-nano', contextWindow: 1_047_576 });
  });

  it('creates each further model of the endpoint once', async () => {
    const { model, modelNamed } = await connect({ baseUrl: fake.baseUrl });
    const other = modelNamed('qwen3');
    expect(modelNamed('qwen3')).toBe(other);
    expect(modelNamed(model.id)).toBe(model);
    await call(other);
    expect(fake.chats().map((chat) => chat.model)).toEqual(['qwen3']);
  });

  it('is refused when the base URL is not a URL', async () => {
    await expect(connect({ baseUrl: 'not a url' })).rejects.toThrow(/OPENAI_BASE_URL/);
  });

  it('keeps the key out of its notice', async () => {
    const { notice } = await connect({ apiKey: 'sk-secret', baseUrl: fake.baseUrl.replace('//', '//me:sk-secret@') });
    expect(notice).not.toContain('sk-secret');
  });
});

import { describe, expect, it } from 'vitest';
import { modelTraits } from '../../src/llm/model-traits.js';

describe('the traits of a model', () => {
  it.each([
    ['gpt-4o', 128_000, 'o200k_base'],
    ['gpt-4o-mini', 128_000, 'o200k_base'],
    ['gpt-4o-mini-2024-07-18', 128_000, 'o200k_base'],
    ['ft:gpt-4o-mini:acme', 128_000, 'o200k_base'],
    ['gpt-4.1', 1_047_576, 'o200k_base'],
    ['gpt-4.1-nano', 1_047_576, 'o200k_base'],
    ['gpt-4', 8_192, 'cl100k_base'],
    ['gpt-4-0613', 8_192, 'cl100k_base'],
    ['gpt-4-turbo', 128_000, 'cl100k_base'],
    ['gpt-3.5-turbo', 16_385, 'cl100k_base'],
    ['o1', 200_000, 'o200k_base'],
    ['o3-mini', 200_000, 'o200k_base'],
    ['o4-mini', 200_000, 'o200k_base'],
    ['gpt-5', 400_000, 'o200k_base'],
    ['gpt-5-nano', 400_000, 'o200k_base'],
    ['something-new', 4_096, 'o200k_base'],
  ] as const)('are for %s at OpenAI a window of %i and the encoding %s', (name, contextWindow, encoding) => {
    expect(modelTraits(name, 'openai', undefined)).toEqual({ contextWindow, encoding, safety: 0.05 });
  });

  it('are elsewhere an unknown window and a wider margin, whatever the name', () => {
    expect(modelTraits('gpt-4o', 'compatible', undefined)).toMatchObject({ contextWindow: 4_096, safety: 0.2 });
    expect(modelTraits('llama3.2', 'compatible', undefined)).toMatchObject({
      contextWindow: 4_096,
      encoding: 'o200k_base',
    });
  });

  it('have the window that the owner has set', () => {
    expect(modelTraits('gpt-4o', 'openai', 32_000).contextWindow).toBe(32_000);
    expect(modelTraits('llama3.2', 'compatible', 32_000).contextWindow).toBe(32_000);
  });
});

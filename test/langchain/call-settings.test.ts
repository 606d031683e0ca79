import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeepsakeError } from '../../src/conversation/errors.js';
import { readCallSettings } from '../../src/langchain/call-settings.js';
import { withSessionMemory } from '../../src/langchain/index.js';
import { call, echo, openMemory } from './memory.js';

describe('what a call may choose', () => {
  it.each([
    [{ sessionId: 'ada' }, { strategy: null, model: null }],
    [
      { sessionId: 'ada', k: 3 },
      { strategy: { name: 'window', k: 3, unit: 'messages' }, model: null },
    ],
    [
      { sessionId: 'ada', strategy: 'window', k: 0 },
      { strategy: { name: 'window', k: 0, unit: 'messages' }, model: null },
    ],
    [
      { sessionId: 'ada', strategy: 'buffer', model: 'm' },
      { strategy: { name: 'buffer', maxTokens: 16_000 }, model: 'm' },
    ],
    [
      { sessionId: 'ada', strategy: 'token-buffer' },
      { strategy: { name: 'token-buffer', maxTokens: 2_000 }, model: null },
    ],
    [
      { sessionId: 'ada', strategy: 'summary' },
      { strategy: { name: 'summary', maxSummaryTokens: 400 }, model: null },
    ],
    [
      { sessionId: 'ada', strategy: { name: 'window', k: 2, unit: 'turns' } },
      { strategy: { name: 'window', k: 2, unit: 'turns' }, model: null },
    ],
  ])('%j is understood', (configurable, settings) => {
    expect(readCallSettings(configurable)).toEqual({ sessionId: 'ada', ...settings });
  });

  it.each([
    [undefined, /`configurable.sessionId` is missing: .* `chain\.invoke\(input, \{ configurable: \{ sessionId: "ada"/],
    [{ session_id: 'ada' }, /`configurable.sessionId` is missing/],
    [{ sessionId: '' }, /`configurable.sessionId` is missing/],
    [{ sessionId: 7 }, /`configurable.sessionId` is missing/],
    [{ sessionId: 'ada', model: 7 }, /`configurable.model` must be a model's name/],
    [{ sessionId: 'ada', strategy: 'windows', k: 2 }, /names no strategy; did you mean `window`\?/],
    [{ sessionId: 'ada', strategy: 'vector' }, /names no strategy; it is one of `buffer`, `window`, /],
    [{ sessionId: 'ada', strategy: 'constructor' }, /names no strategy/],
    [{ sessionId: 'ada', strategy: 'window' }, /k must be a whole number from 0 to 500; say how many, as in k:8/],
    [{ sessionId: 'ada', strategy: 'window', k: -1 }, /k must be a whole number from 0 to 500/],
    [{ sessionId: 'ada', k: 1.5 }, /k must be a whole number from 0 to 500/],
    [{ sessionId: 'ada', k: '8' }, /k must be a whole number from 0 to 500/],
    [{ sessionId: 'ada', k: null }, /k must be a whole number from 0 to 500/],
    [{ sessionId: 'ada', strategy: 'buffer', k: 8 }, /buffer has no option k; it takes max_tokens/],
    [
      { sessionId: 'ada', strategy: { name: 'window', k: 8, unit: 'messages' }, k: 8 },
      /put it into the strategy itself/,
    ],
    [{ sessionId: 'ada', strategy: { name: 'buffer', maxTokens: 5 } }, /`configurable.strategy.maxTokens` is wrong/],
    [{ sessionId: 'ada', strategy: 42 }, /`configurable.strategy` is wrong/],
  ])('%j is refused in a sentence with the remedy', (configurable, sentence) => {
    expect(() => readCallSettings(configurable)).toThrow(sentence);
  });

  it('whatever is given, it is understood or refused with a stable code', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (strategy, k, model) => {
        try {
          expect(readCallSettings({ sessionId: 'ada', strategy, k, model }).sessionId).toBe('ada');
        } catch (error) {
          expect(error).toBeInstanceOf(KeepsakeError);
        }
      }),
    );
  });

  it('a refused call reaches neither model nor store', async () => {
    const { memory, store } = await openMemory();
    const { received, runnable } = echo();
    const chain = withSessionMemory(runnable, memory);
    await expect(chain.invoke('hi')).rejects.toThrow(/`configurable.sessionId` is missing/);
    await expect(chain.stream('hi', call('ada', { k: 501 }))).rejects.toThrow(/k must be a whole number/);
    expect(received).toEqual([]);
    expect((await store.sessionFacts('ada')).messages).toBe(0);
  });
});

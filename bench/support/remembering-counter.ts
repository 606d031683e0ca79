import type { TokenCounter } from '#dist/conversation/model.js';

/** A counter that counts no text twice, so that whole prompts can be counted again and again. */
export function rememberingCounter(counter: TokenCounter): TokenCounter {
  const known = new Map<string, number>();
  return {
    async count(texts, encoding) {
      const fresh = [...new Set(texts)].filter((text) => !known.has(text));
      const counts = await counter.count(fresh, encoding);
      for (const [i, text] of fresh.entries()) known.set(text, counts[i] ?? 0);
      return texts.map((text) => known.get(text) ?? 0);
    },
    close: () => counter.close(),
  };
}

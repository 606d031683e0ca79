import type { ChatModel, ModelCall, Prompt, TokenCounter } from '#dist/conversation/model.js';

/** A chat model that says at once what it is given to say. */
export function instantModel(id: string, say: (prompt: Prompt, call: ModelCall) => string): ChatModel {
  return {
    id,
    encoding: 'o200k_base',
    contextWindow: 4_000_000,
    safety: 0.05,
    async *stream(prompt, call) {
      yield say(prompt, call);
      return { finish: 'stop', usage: null };
    },
  };
}

/** Tokens by a rule of thumb that costs nothing. */
export function roughTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** A counter by that rule, so that a turn can be measured apart from the counting. */
export const roughCounter: TokenCounter = {
  count: async (texts) => texts.map(roughTokens),
  close: async () => {},
};

/** The summary that a model would write after its nth fold, some 340 tokens. */
export function summaryText(n: number): string {
  const sentences = Array.from(
    { length: 23 },
    (_, i) => `Ada told of plan ${n + i} and the bot agreed that it is a good one.`,
  );
  return sentences.join(' ');
}

/** One such summary. */
export const SUMMARY = summaryText(1);

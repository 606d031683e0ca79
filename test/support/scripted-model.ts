import type { ChatModel, Completion, ModelCall, Prompt, TokenCounter } from '../../src/conversation/model.js';

/** What a scripted model says to a prompt: pieces of text, a text, or an error to throw. */
export type Line = string | readonly string[] | Error;

/** A chat model that says what a script tells it to, and remembers what it was asked. */
export type ScriptedModel = ChatModel & { asked: { prompt: Prompt; call: ModelCall }[] };

/** Answers through `script`; the completion is `stop` without usage unless a third party says otherwise. */
export function scriptedModel(
  script: (prompt: Prompt, call: ModelCall, n: number) => Line | Promise<Line>,
  traits: Partial<Pick<ChatModel, 'id' | 'contextWindow' | 'safety'>> & { completion?: Completion } = {},
): ScriptedModel {
  const asked: ScriptedModel['asked'] = [];
  return {
    id: traits.id ?? 'scripted',
    encoding: 'o200k_base',
    contextWindow: traits.contextWindow ?? 128_000,
    safety: traits.safety ?? 0.05,
    asked,
    async *stream(prompt, call) {
      asked.push({ prompt, call });
      const line = await script(prompt, call, asked.length);
      if (line instanceof Error) throw line;
      for (const piece of typeof line === 'string' ? [line] : line) yield piece;
      return traits.completion ?? { finish: 'stop', usage: null };
    },
  };
}

/** Counts one token for every two characters: exact, additive and above what a vocabulary would say. */
export const halvesCounter: TokenCounter = {
  count: async (texts) => texts.map((text) => Math.ceil(text.length / 2)),
  close: async () => {},
};

import type { Encoding } from './tokens.js';

/** A line of a prompt, in the shape that LangChain takes as it is. */
export type PromptMessage = { role: 'user' | 'assistant'; content: string };

/** A picture of the question being answered, never of the history. */
export type PromptImage = { url: string };

/**
 * What the model is sent: exactly one system text, then user and assistant strictly alternating, from user to the
 * question. Images belong to the last message.
 */
export type Prompt = { system: string; messages: PromptMessage[]; images?: readonly PromptImage[] };

/** Tokens as the endpoint counted them. */
export type Usage = { input: number; output: number };

/** How a stream of text ended: of its own accord, at the token cap, or stopped by the endpoint's filter. */
export type Completion = { finish: 'stop' | 'length' | 'filtered'; usage: Usage | null };

/** One call of the model. `task` tells the offline model which of its trades is wanted. */
export type ModelCall = {
  task: 'answer' | 'summary' | 'rewrite';
  maxTokens: number;
  temperature?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Recorded by tracing, when that is on. */
  metadata?: { sessionId: string; strategy: string };
};

/** A chat model. */
export interface ChatModel {
  /** The model's name, as summaries and reports record it. */
  readonly id: string;
  readonly encoding: Encoding;
  /** Tokens of prompt and answer together. */
  readonly contextWindow: number;
  /** Share of the window that is kept free because counts are estimates: 0.05 for OpenAI's models, else 0.2. */
  readonly safety: number;
  /**
   * Streams an answer: yields its text in pieces and returns how it ended; it always ends within the deadlines.
   * Reasoning is never yielded.
   * @throws {ModelError} when no complete answer came; text already yielded is then not an answer.
   */
  stream(prompt: Prompt, call: ModelCall): AsyncGenerator<string, Completion, void>;
}

/** The vocabularies of OpenAI's models; other models are counted with `o200k_base` and a wider safety margin. */
export type Encoding = 'o200k_base' | 'cl100k_base';

/** Counts tokens off the event loop. */
export interface TokenCounter {
  /**
   * Counts each text, in order; never less than the vocabulary's own count. Special-token text counts as plain text.
   * @throws {Error} only after `close`.
   */
  count(texts: readonly string[], encoding: Encoding): Promise<number[]>;
  /** Ends the worker; waiting counts are rejected. */
  close(): Promise<void>;
}

/**
 * By how much a count in one encoding may fall short in another, as a factor. Measured on prose of eleven scripts:
 * cl100k needs up to 2.9 times the tokens of o200k (Hindi), o200k hardly ever more than cl100k.
 */
export function encodingFactor(from: string | null, to: Encoding): number {
  if (from === null || from === to) return 1;
  return to === 'cl100k_base' ? 3 : 1.1;
}

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

/** The text of a model as it comes, and how it ended. */
export type TextStream = AsyncGenerator<string, Completion, void>;

/** Passes a stream on and shows each piece to `onPiece` first; whoever stops reading it stops the stream as well. */
export async function* tapStream(stream: TextStream, onPiece: (piece: string) => void): TextStream {
  try {
    for (;;) {
      const step = await stream.next();
      if (step.done === true) return step.value;
      onPiece(step.value);
      yield step.value;
    }
  } finally {
    await stream.return(undefined as never);
  }
}

/** Reads a stream to its end. */
export async function readStream(stream: TextStream): Promise<{ text: string; completion: Completion }> {
  let text = '';
  for (;;) {
    const step = await stream.next();
    if (step.done === true) return { text, completion: step.value };
    text += step.value;
  }
}

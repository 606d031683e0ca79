/** A vocabulary of OpenAI's models; other models are counted in `o200k_base` with a wider safety margin. */
export type Encoding = 'o200k_base' | 'cl100k_base';

/** Counts tokens off the event loop. */
export interface TokenCounter {
  /**
   * Counts each text, in order; never less than the vocabulary's own count. Special-token text counts as plain text.
   * @throws {Error} only after `close`.
   */
  count(texts: readonly string[], encoding: Encoding): Promise<number[]>;
  /** Stops the worker; pending counts are rejected. */
  close(): Promise<void>;
}

/**
 * Returns the factor by which a count in one encoding may fall short in another. Measured on prose of eleven scripts:
 * cl100k needs up to 2.9 times the tokens of o200k (Hindi), o200k hardly ever more than cl100k.
 */
export function encodingFactor(from: string | null, to: Encoding): number {
  if (from === null || from === to) return 1;
  return to === 'cl100k_base' ? 3 : 1.1;
}

/** A message of a prompt, in a shape that LangChain accepts. */
export type PromptMessage = { role: 'user' | 'assistant'; content: string };

/** An image of the question being answered, never of the history. */
export type PromptImage = { url: string };

/**
 * The input of a call: exactly one system text, then user and assistant strictly alternating, from the first user
 * message to the question. Images belong to the last message.
 */
export type Prompt = { system: string; messages: PromptMessage[]; images?: readonly PromptImage[] };

/** Tokens of one call as the endpoint counted them. */
export type Usage = { input: number; output: number };

/** The end of an answer: of its own accord, at the token limit, or stopped by the endpoint's content filter. */
export type Completion = { finish: 'stop' | 'length' | 'filtered'; usage: Usage | null };

/** One call of a model. The offline model does something else for each `task`. */
export type ModelCall = {
  task: 'answer' | 'summary' | 'rewrite';
  maxTokens: number;
  temperature?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Recorded by LangSmith when tracing is on. */
  metadata?: { sessionId: string; strategy: string };
};

/** A chat model that streams its answers. */
export interface ChatModel {
  /** The model's name in summaries and reports. */
  readonly id: string;
  readonly encoding: Encoding;
  /** Tokens of prompt and answer together. */
  readonly contextWindow: number;
  /** Share of the window left free because counts are estimates: 0.05 for OpenAI's models, else 0.2. */
  readonly safety: number;
  /**
   * Streams an answer: yields its text in pieces, without reasoning, and returns how it ended; it always ends within
   * the deadlines.
   * @throws {ModelError} when the answer is incomplete; text already yielded is then to be discarded.
   */
  stream(prompt: Prompt, call: ModelCall): TextStream;
}

/** The pieces of a text as they arrive, and its end. */
export type TextStream = AsyncGenerator<string, Completion, void>;

/** Passes a stream on, calling `onPiece` with each piece first. A caller that stops reading stops the stream too. */
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

/** Reads a stream to its end and joins its pieces. */
export async function readStream(stream: TextStream): Promise<{ text: string; completion: Completion }> {
  let text = '';
  for (;;) {
    const step = await stream.next();
    if (step.done === true) return { text, completion: step.value };
    text += step.value;
  }
}

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

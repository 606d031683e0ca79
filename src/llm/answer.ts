import { ModelError } from '../conversation/errors.js';
import type { Completion, Usage } from '../conversation/model.js';
import type { Chunk } from './chunks.js';
import type { ReasoningFilter } from './reasoning.js';

/** How far the reading of a response has come. */
export type Progress = {
  chunks: number;
  /** Characters yielded. */
  length: number;
  /** Null as long as the endpoint gave no reason for an end: the answer is not whole. */
  finish: Completion['finish'] | null;
  usage: Usage | null;
};

/** The state before the first chunk. */
export function noProgress(): Progress {
  return { chunks: 0, length: 0, finish: null, usage: null };
}

const BETRAYED = 'The model mixed its reasoning into the answer: ask again, from now on it will be taken out.';

/** The first part of a text, without half of a surrogate pair at its end. */
function head(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, Math.max(0, length)).replace(/[\uD800-\uDBFF]$/u, '');
}

/**
 * Reads chunks to their end and yields the text that may be shown, at most `cap` characters: a server that ignores the
 * token limit is not listened to any longer. What goes wrong after the finish reason does not matter any more, unless it
 * is the caller who wants no more. `onFinish` is called when the reason has come.
 */
export async function* readAnswer(
  chunks: AsyncIterable<Chunk>,
  filter: ReasoningFilter,
  cap: number,
  progress: Progress,
  onFinish: () => void,
): AsyncGenerator<string, void, void> {
  try {
    for await (const { text, finish, usage } of chunks) {
      progress.chunks += 1;
      progress.usage = usage ?? progress.usage;
      const shown = head(filter.push(text), cap - progress.length);
      if (filter.betrayed()) throw new ModelError('cut-off', BETRAYED);
      progress.length += shown.length;
      if (shown !== '') yield shown;
      if (finish !== null) onFinish();
      progress.finish = finish ?? progress.finish;
      if (progress.length + filter.held() < cap) continue;
      progress.finish = 'length';
      break;
    }
  } catch (error) {
    const unwanted = error instanceof ModelError && error.code === 'cancelled';
    if (progress.finish === null || unwanted || filter.betrayed()) throw error;
  }
  const rest = head(filter.end(progress.finish !== null && progress.finish !== 'length'), cap - progress.length);
  progress.length += rest.length;
  if (rest !== '') yield rest;
}

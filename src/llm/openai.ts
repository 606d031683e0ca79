import { setTimeout } from 'node:timers/promises';
import type { ChatModel, Completion, ModelCall, Prompt } from '../conversation/model.js';
import { noProgress, type Progress, readAnswer } from './answer.js';
import { chunksOf } from './chunks.js';
import { traitsOf } from './context-window.js';
import { type Deadlines, type Watch, watchOver } from './deadlines.js';
import { type EndpointOptions, endpointOf } from './endpoint.js';
import { explain, failed, noAnswer, SlowAnswer } from './failure.js';
import { createReasoningFilter } from './reasoning.js';
import { pauseBefore, type Retries } from './retry.js';
import type { Seen } from './wire.js';

/** A model of an OpenAI-like endpoint. `streamUsage` asks for usage in the stream, which some servers refuse. */
export type OpenAIModelOptions = EndpointOptions & {
  model: string;
  contextWindow: number | undefined;
  deadlines: Deadlines;
  retries?: Retries | undefined;
  streamUsage?: boolean | undefined;
};

const RETRIES: Retries = { max: 2, pauseMs: 500 };
/** No answer has more characters for each of its tokens. */
const CHARACTERS_PER_TOKEN = 8;
/** How long the end of a response is waited for once the finish reason is there. */
const LAST_WORDS_MS = 1_000;
/** Models whose templates open the reasoning themselves, so that only its end is seen. */
const OPENS_UNSEEN = /\br1\b|qwq|thinking/i;

/**
 * A chat model behind an OpenAI-like endpoint. Failures that may pass are tried again within the total deadline, as long
 * as no text was yielded; the caller's signal ends a call at once. See `createReasoningFilter` for what is taken out.
 * @throws {ConfigError} when the base URL is not a web address.
 */
export function createOpenAIModel(options: OpenAIModelOptions): ChatModel {
  const { model, contextWindow, deadlines, retries = RETRIES } = options;
  const endpoint = endpointOf(options);
  const where = { endpoint, model, streamUsage: options.streamUsage ?? endpoint.dialect === 'openai' };
  let opensUnseen = endpoint.dialect === 'compatible' && OPENS_UNSEEN.test(model);

  async function* attempt(
    prompt: Prompt,
    call: ModelCall,
    watch: Watch,
    progress: Progress,
  ): AsyncGenerator<string, Completion, void> {
    const seen: Seen = {};
    const filter = createReasoningFilter(opensUnseen);
    try {
      const chunks = chunksOf(where, prompt, call, watch, seen);
      yield* readAnswer(chunks, filter, call.maxTokens * CHARACTERS_PER_TOKEN, progress, () =>
        watch.hurry(LAST_WORDS_MS),
      );
    } catch (cause) {
      const failure = explain(watch.signal.aborted ? watch.signal.reason : cause, seen, endpoint);
      const slow = failure.code === 'timeout' && progress.chunks > 0;
      throw slow ? new SlowAnswer('timeout', failure.message, { cause: failure }) : failure;
    } finally {
      opensUnseen ||= filter.unmarked();
    }
    const { finish, usage, length } = progress;
    if (finish === null) throw noAnswer(seen, progress.chunks, endpoint);
    if (length === 0) throw failed(finish === 'filtered' ? 'filtered' : 'empty-answer', endpoint);
    return { finish, usage };
  }

  async function* stream(prompt: Prompt, call: ModelCall): AsyncGenerator<string, Completion, void> {
    const watch = watchOver(deadlines, call.signal);
    try {
      for (let tried = 0; ; tried += 1) {
        const progress = noProgress();
        try {
          return yield* attempt(prompt, call, watch, progress);
        } catch (error) {
          const failure = explain(error, {}, endpoint);
          const pause = progress.length > 0 ? null : pauseBefore(failure, tried, retries, watch.remainingMs());
          if (pause === null) throw failure;
          await watch.wait(setTimeout(pause, undefined, { signal: watch.signal }), 'unbounded');
        }
      }
    } finally {
      watch.end();
    }
  }

  return { id: model, ...traitsOf(model, endpoint.dialect, contextWindow), stream };
}

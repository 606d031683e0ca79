import { setTimeout } from 'node:timers/promises';
import type { AIMessageChunk } from '@langchain/core/messages';
import type { ChatOpenAIFields } from '@langchain/openai';
import { ModelError } from '../conversation/errors.js';
import type { ChatModel, Completion, ModelCall, Prompt, Usage } from '../conversation/model.js';
import { type Deadlines, type DeadlineWatch, pauseBefore, type Retries, startDeadlines } from './deadlines.js';
import { incompleteResponseError, modelError, SlowAnswer, toModelError } from './failure.js';
import { type Endpoint, type EndpointOptions, type ResponseRecord, recordingFetch, resolveEndpoint } from './http.js';
import { modelTraits } from './model-traits.js';
import { createReasoningFilter, type ReasoningFilter } from './reasoning.js';

/** LangChain sends these to OpenAI's `/responses`, which other servers lack and this program never calls. */
const RESPONSES_ONLY = /codex|gpt-5\.[245]-pro/;
/** LangChain gives these the role `developer` and the field `max_completion_tokens`, as OpenAI wants. */
const REASONING = /^(o\d|gpt-5(?!-chat))/;
/** A name without meaning to LangChain; the true one goes over the wire through `modelKwargs`. */
const ALIAS = 'chat-model';

/** Which model is called where. */
type ModelOnEndpoint = { endpoint: Endpoint; model: string };

function naming({ endpoint, model }: ModelOnEndpoint, maxTokens: number): Partial<ChatOpenAIFields> {
  const reasoning = REASONING.test(model);
  if (endpoint.dialect === 'openai') {
    return RESPONSES_ONLY.test(model) ? { model: ALIAS, maxTokens, modelKwargs: { model } } : { model, maxTokens };
  }
  if (reasoning) return { model: ALIAS, modelKwargs: { model, max_tokens: maxTokens } };
  return RESPONSES_ONLY.test(model) ? { model: ALIAS, maxTokens, modelKwargs: { model } } : { model, maxTokens };
}

/** Keeps what the SDK would take from the environment away from servers it was not meant for. */
function withoutOpenAIsOwn({ dialect }: Endpoint): Record<string, unknown> {
  return dialect === 'openai' ? {} : { organization: null, project: null, adminAPIKey: null };
}

/**
 * How one call is put to ChatOpenAI: `/chat/completions` only, one try, nothing printed. Temperature is left to OpenAI's
 * reasoning models, which refuse any but their own.
 */
function chatFields(where: ModelOnEndpoint, call: ModelCall, fetch: typeof globalThis.fetch): ChatOpenAIFields {
  const { endpoint, model } = where;
  const fixedTemperature = endpoint.dialect === 'openai' && REASONING.test(model);
  return {
    ...naming(where, call.maxTokens),
    ...(call.temperature === undefined || fixedTemperature ? {} : { temperature: call.temperature }),
    apiKey: endpoint.key,
    // Some servers refuse a request that asks for usage in the stream.
    streamUsage: endpoint.dialect === 'openai',
    maxRetries: 0,
    outputVersion: 'v0',
    configuration: { baseURL: endpoint.baseUrl, logLevel: 'off', fetch, ...withoutOpenAIsOwn(endpoint) },
  };
}

/** A prompt as LangChain takes it: the system text first, pictures as parts of the last message. */
function chatMessages({ system, messages, images = [] }: Prompt) {
  const pictures = images.map(({ url }) => ({
    type: 'image_url' as const,
    image_url: { url, detail: 'low' as const },
  }));
  const last = messages.length - 1;
  const spoken = messages.map(({ role, content }, at) => ({
    role,
    content: at === last && pictures.length > 0 ? [{ type: 'text' as const, text: content }, ...pictures] : content,
  }));
  return [{ role: 'system' as const, content: system }, ...spoken];
}

/** More tokens than any window holds. */
const ABSURD = 10_000_000;

function count(value: unknown): number | null {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < ABSURD ? (value as number) : null;
}

/** Usage as an endpoint reported it, or null when it is missing or cannot be true: zero, negative or beyond any window. */
function usageOf(reported: unknown): Usage | null {
  if (typeof reported !== 'object' || reported === null) return null;
  const { prompt_tokens, completion_tokens } = reported as Record<string, unknown>;
  const input = count(prompt_tokens);
  const output = count(completion_tokens);
  return input === null || output === null ? null : { input, output };
}

/** One piece of a response: its text, and what it says of the end. Reasoning that comes apart is left out. */
type Chunk = { text: string; finish: Completion['finish'] | null; usage: Usage | null };

/** Servers have many words for an ordinary end, and some send an empty reason with every chunk. */
function finishOf(reason: unknown): Completion['finish'] | null {
  if (typeof reason !== 'string' || reason === '') return null;
  if (reason === 'length' || reason === 'max_tokens') return 'length';
  return reason === 'content_filter' ? 'filtered' : 'stop';
}

function read({ content, response_metadata }: AIMessageChunk): Chunk {
  return {
    text: typeof content === 'string' ? content : '',
    finish: finishOf(response_metadata.finish_reason),
    usage: usageOf(response_metadata.usage),
  };
}

function recorded({ task, metadata }: ModelCall, model: string) {
  if (metadata === undefined) return {};
  const { sessionId, strategy } = metadata;
  return { runName: task, metadata: { session_id: sessionId, strategy, model } };
}

/** Sends one request and gives its chunks. What the response looked like is written into `seen`. */
async function* chunksOf(
  where: ModelOnEndpoint,
  prompt: Prompt,
  call: ModelCall,
  watch: DeadlineWatch,
  seen: ResponseRecord,
): AsyncGenerator<Chunk, void, void> {
  // LangChain's OpenAI module is loaded at the first call, so that a start does not wait for it.
  const { ChatOpenAI } = await watch.wait(import('@langchain/openai'), 'unbounded');
  const chat = new ChatOpenAI(chatFields(where, call, recordingFetch(seen, watch.bytesReceived)));
  watch.beginAttempt();
  const options = { signal: watch.signal, ...recorded(call, where.model) };
  const stream = await watch.wait(chat.stream(chatMessages(prompt), options));
  for (;;) {
    const step = await watch.wait(stream.next());
    if (step.done === true) return;
    yield read(step.value);
  }
}

/** How far the reading of a response has come. */
type Progress = {
  chunks: number;
  /** Characters yielded. */
  length: number;
  /** Null as long as the endpoint gave no reason for an end: the answer is not whole. */
  finish: Completion['finish'] | null;
  usage: Usage | null;
};

/** The state before the first chunk. */
function noProgress(): Progress {
  return { chunks: 0, length: 0, finish: null, usage: null };
}

const REASONING_LEAKED = 'The model mixed its reasoning into the answer: ask again, from now on it will be taken out.';

/** The first part of a text, without half of a surrogate pair at its end. */
function head(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, Math.max(0, length)).replace(/[\uD800-\uDBFF]$/u, '');
}

/**
 * Reads chunks to their end and yields the text that may be shown, at most `cap` characters: a server that ignores the
 * token limit is not listened to any longer. What goes wrong after the finish reason does not matter any more, unless it
 * is the caller who wants no more. `onFinish` is called when the reason has come.
 */
async function* readAnswer(
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
      if (filter.leaked()) throw new ModelError('cut-off', REASONING_LEAKED);
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
    if (progress.finish === null || unwanted || filter.leaked()) throw error;
  }
  const rest = head(filter.end(progress.finish !== null && progress.finish !== 'length'), cap - progress.length);
  progress.length += rest.length;
  if (rest !== '') yield rest;
}

/** A model of an OpenAI-like endpoint. */
export type OpenAIModelOptions = EndpointOptions & {
  model: string;
  contextWindow: number | undefined;
  deadlines: Deadlines;
  retries?: Retries | undefined;
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
  const endpoint = resolveEndpoint(options);
  const where = { endpoint, model };
  let opensUnseen = endpoint.dialect === 'compatible' && OPENS_UNSEEN.test(model);

  async function* attempt(
    prompt: Prompt,
    call: ModelCall,
    watch: DeadlineWatch,
    progress: Progress,
  ): AsyncGenerator<string, Completion, void> {
    const seen: ResponseRecord = {};
    const filter = createReasoningFilter(opensUnseen);
    try {
      const chunks = chunksOf(where, prompt, call, watch, seen);
      yield* readAnswer(chunks, filter, call.maxTokens * CHARACTERS_PER_TOKEN, progress, () =>
        watch.shortenIdle(LAST_WORDS_MS),
      );
    } catch (cause) {
      const failure = toModelError(watch.signal.aborted ? watch.signal.reason : cause, seen, endpoint);
      const slow = failure.code === 'timeout' && progress.chunks > 0;
      throw slow ? new SlowAnswer('timeout', failure.message, { cause: failure }) : failure;
    } finally {
      opensUnseen ||= filter.sawUnopenedTag();
    }
    const { finish, usage, length } = progress;
    if (finish === null) throw incompleteResponseError(seen, progress.chunks, endpoint);
    if (length === 0) throw modelError(finish === 'filtered' ? 'filtered' : 'empty-answer', endpoint);
    return { finish, usage };
  }

  async function* stream(prompt: Prompt, call: ModelCall): AsyncGenerator<string, Completion, void> {
    const watch = startDeadlines(deadlines, call.signal);
    try {
      for (let tried = 0; ; tried += 1) {
        const progress = noProgress();
        try {
          return yield* attempt(prompt, call, watch, progress);
        } catch (error) {
          const failure = toModelError(error, {}, endpoint);
          const pause = progress.length > 0 ? null : pauseBefore(failure, tried, retries, watch.remainingMs());
          if (pause === null) throw failure;
          await watch.wait(setTimeout(pause, undefined, { signal: watch.signal }), 'unbounded');
        }
      }
    } finally {
      watch.end();
    }
  }

  return { id: model, ...modelTraits(model, endpoint.dialect, contextWindow), stream };
}

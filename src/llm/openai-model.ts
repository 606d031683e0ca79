import { setTimeout } from 'node:timers/promises';
import type { AIMessageChunk } from '@langchain/core/messages';
import type { ChatOpenAIFields } from '@langchain/openai';
import { ModelError } from '../conversation/errors.js';
import type { ChatModel, Completion, ModelCall, Prompt, TextStream, Usage } from '../conversation/model.js';
import { type Deadlines, type DeadlineWatch, type Retries, retryDelay, startDeadlines } from './deadlines.js';
import { incompleteResponseError, modelError, SlowAnswerError, toModelError } from './failure.js';
import { type Endpoint, type EndpointOptions, type ResponseRecord, recordingFetch, resolveEndpoint } from './http.js';
import { modelTraits } from './model-traits.js';
import { createReasoningFilter, type ReasoningFilter } from './reasoning.js';

/** A model of an OpenAI-like endpoint. */
export type OpenAIModelOptions = EndpointOptions & {
  model: string;
  contextWindow: number | undefined;
  deadlines: Deadlines;
  retries?: Retries | undefined;
};

const DEFAULT_RETRIES: Retries = { max: 2, backoffMs: 500 };
/** No answer has more characters for each of its tokens. */
const CHARACTERS_PER_TOKEN = 8;
/** How long to wait for the rest of a response, which may hold the usage, once the finish reason has come. */
const IDLE_AFTER_FINISH_MS = 1_000;
/** Models whose chat templates open the reasoning themselves, so that `</think>` comes without its opening tag. */
const UNOPENED_REASONING = /\br1\b|qwq|thinking/i;

/**
 * Creates a chat model behind an OpenAI-like endpoint. Transient failures are retried within the total deadline, as
 * long as no text was yielded; the caller's signal ends a call at once. See `createReasoningFilter` for what is
 * removed.
 * @throws {ConfigError} when the base URL is not a web address.
 */
export function createOpenAIModel(options: OpenAIModelOptions): ChatModel {
  const { model, contextWindow, deadlines, retries = DEFAULT_RETRIES } = options;
  const endpoint = resolveEndpoint(options);
  const remote = { endpoint, model };
  let unopenedReasoning = endpoint.dialect === 'compatible' && UNOPENED_REASONING.test(model);

  async function* attempt(prompt: Prompt, call: ModelCall, watch: DeadlineWatch, progress: Progress): TextStream {
    const response: ResponseRecord = {};
    const filter = createReasoningFilter(unopenedReasoning);
    try {
      const chunks = requestChunks(remote, prompt, call, watch, response);
      const cap = call.maxTokens * CHARACTERS_PER_TOKEN;
      yield* readAnswer(chunks, filter, cap, progress, () => watch.shortenIdle(IDLE_AFTER_FINISH_MS));
    } catch (cause) {
      const failure = toModelError(watch.signal.aborted ? watch.signal.reason : cause, response, endpoint);
      const isSlow = failure.code === 'timeout' && progress.chunks > 0;
      throw isSlow ? new SlowAnswerError('timeout', failure.message, { cause: failure }) : failure;
    } finally {
      unopenedReasoning ||= filter.sawUnopenedTag();
    }
    const { finish, usage, length } = progress;
    if (finish === null) throw incompleteResponseError(response, progress.chunks, endpoint);
    if (length === 0) throw modelError(finish === 'filtered' ? 'filtered' : 'empty-answer', endpoint);
    return { finish, usage };
  }

  async function* stream(prompt: Prompt, call: ModelCall): TextStream {
    const watch = startDeadlines(deadlines, call.signal);
    try {
      for (let attempts = 0; ; attempts += 1) {
        const progress: Progress = { chunks: 0, length: 0, finish: null, usage: null };
        try {
          return yield* attempt(prompt, call, watch, progress);
        } catch (error) {
          const failure = toModelError(error, {}, endpoint);
          const delay = progress.length > 0 ? null : retryDelay(failure, attempts, retries, watch.remainingMs());
          if (delay === null) throw failure;
          await watch.wait(setTimeout(delay, undefined, { signal: watch.signal }), 'unbounded');
        }
      }
    } finally {
      watch.end();
    }
  }

  return { id: model, ...modelTraits(model, endpoint.dialect, contextWindow), stream };
}

/** How far a response has been read. */
type Progress = {
  chunks: number;
  /** Characters yielded. */
  length: number;
  /** Null until the endpoint has sent a finish reason; an answer without one is incomplete. */
  finish: Completion['finish'] | null;
  usage: Usage | null;
};

const REASONING_LEAKED = 'The model mixed its reasoning into the answer: ask again, from now on it will be taken out.';

/**
 * Reads chunks to their end and yields the text that may be shown, at most `cap` characters, since some servers ignore
 * the token limit. After the finish reason errors no longer matter, except that the caller cancelled. `onFinish` is
 * called when the reason has come.
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
      const shown = truncate(filter.push(text), cap - progress.length);
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
    const isCancelled = error instanceof ModelError && error.code === 'cancelled';
    if (progress.finish === null || isCancelled || filter.leaked()) throw error;
  }
  const isComplete = progress.finish !== null && progress.finish !== 'length';
  const held = truncate(filter.end(isComplete), cap - progress.length);
  progress.length += held.length;
  if (held !== '') yield held;
}

/** At most `length` code units of a text, without half of a surrogate pair at the end. */
function truncate(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, Math.max(0, length)).replace(/[\uD800-\uDBFF]$/u, '');
}

/** One chunk of a response. Reasoning in a field of its own is not part of the text. */
type Chunk = { text: string; finish: Completion['finish'] | null; usage: Usage | null };

type RemoteModel = { endpoint: Endpoint; model: string };

/** Sends one request and yields its chunks; what the response looked like is written into `response`. */
async function* requestChunks(
  remote: RemoteModel,
  prompt: Prompt,
  call: ModelCall,
  watch: DeadlineWatch,
  response: ResponseRecord,
): AsyncGenerator<Chunk, void, void> {
  // LangChain's OpenAI module is loaded at the first call, so that a start does not wait for it.
  const { ChatOpenAI } = await watch.wait(import('@langchain/openai'), 'unbounded');
  const chat = new ChatOpenAI(chatFields(remote, call, recordingFetch(response, watch.bytesReceived)));
  watch.beginAttempt();
  const options = { signal: watch.signal, ...tracingOptions(call, remote.model) };
  const stream = await watch.wait(chat.stream(chatMessages(prompt), options));
  for (;;) {
    const step = await watch.wait(stream.next());
    if (step.done === true) return;
    yield toChunk(step.value);
  }
}

/** LangChain sends these to OpenAI's `/responses`, which other servers lack and this program never calls. */
const RESPONSES_ONLY = /codex|gpt-5\.[245]-pro/;
/** LangChain gives these the role `developer` and the field `max_completion_tokens`, as OpenAI wants. */
const REASONING = /^(o\d|gpt-5(?!-chat))/;
/** A name without meaning to LangChain; the true one goes over the wire through `modelKwargs`. */
const ALIAS = 'chat-model';

/**
 * Configures ChatOpenAI for one call: `/chat/completions` only, one attempt, nothing printed. OpenAI's reasoning models
 * refuse any temperature but their own, so they are sent none.
 */
function chatFields(remote: RemoteModel, call: ModelCall, fetch: typeof globalThis.fetch): ChatOpenAIFields {
  const { endpoint, model } = remote;
  const isOpenAI = endpoint.dialect === 'openai';
  const hasFixedTemperature = isOpenAI && REASONING.test(model);
  // Other servers are not sent what the SDK would take from OpenAI's environment variables.
  const account: Record<string, unknown> = isOpenAI ? {} : { organization: null, project: null, adminAPIKey: null };
  return {
    ...modelFields(remote, call.maxTokens),
    ...(call.temperature === undefined || hasFixedTemperature ? {} : { temperature: call.temperature }),
    apiKey: endpoint.key,
    // Some servers refuse a request that asks for usage in the stream.
    streamUsage: isOpenAI,
    maxRetries: 0,
    outputVersion: 'v0',
    configuration: { baseURL: endpoint.baseUrl, logLevel: 'off', fetch, ...account },
  };
}

/** Model name and token limit, so put that LangChain sends both in the form that the endpoint knows. */
function modelFields({ endpoint, model }: RemoteModel, maxTokens: number): Partial<ChatOpenAIFields> {
  if (endpoint.dialect === 'compatible' && REASONING.test(model)) {
    return { model: ALIAS, modelKwargs: { model, max_tokens: maxTokens } };
  }
  return RESPONSES_ONLY.test(model) ? { model: ALIAS, maxTokens, modelKwargs: { model } } : { model, maxTokens };
}

/** A prompt in LangChain's shape: the system text first, images as parts of the last message. */
function chatMessages({ system, messages, images = [] }: Prompt) {
  const imageParts = images.map(({ url }) => ({
    type: 'image_url' as const,
    image_url: { url, detail: 'low' as const },
  }));
  const last = messages.length - 1;
  const turns = messages.map(({ role, content }, at) => ({
    role,
    content: at === last && imageParts.length > 0 ? [{ type: 'text' as const, text: content }, ...imageParts] : content,
  }));
  return [{ role: 'system' as const, content: system }, ...turns];
}

/** What LangSmith records of a call, when tracing is on. */
function tracingOptions({ task, metadata }: ModelCall, model: string) {
  if (metadata === undefined) return {};
  const { sessionId, strategy } = metadata;
  return { runName: task, metadata: { session_id: sessionId, strategy, model } };
}

function toChunk({ content, response_metadata }: AIMessageChunk): Chunk {
  return {
    text: typeof content === 'string' ? content : '',
    finish: finishOf(response_metadata.finish_reason),
    usage: usageOf(response_metadata.usage),
  };
}

/** Servers have many words for an ordinary end, and some send an empty reason with every chunk. */
function finishOf(reason: unknown): Completion['finish'] | null {
  if (typeof reason !== 'string' || reason === '') return null;
  if (reason === 'length' || reason === 'max_tokens') return 'length';
  return reason === 'content_filter' ? 'filtered' : 'stop';
}

/** Usage as an endpoint reported it; null when it is missing or impossible: zero, negative or beyond any window. */
function usageOf(reported: unknown): Usage | null {
  if (typeof reported !== 'object' || reported === null) return null;
  const { prompt_tokens, completion_tokens } = reported as Record<string, unknown>;
  const input = plausibleCount(prompt_tokens);
  const output = plausibleCount(completion_tokens);
  return input === null || output === null ? null : { input, output };
}

/** More tokens than any window holds. */
const IMPLAUSIBLE_TOKENS = 10_000_000;

function plausibleCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < IMPLAUSIBLE_TOKENS ? value : null;
}

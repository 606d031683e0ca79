import { ModelError, type ModelErrorCode } from '../conversation/errors.js';
import { type Endpoint, errorCodeOfStatus, type ResponseRecord } from './http.js';

/** How endpoints say that a prompt is too long. */
const TOO_LONG = [
  /context_length_exceeded/,
  /exceed_context_size_error/,
  /maximum context length/i,
  /exceed(s|ed)? (the|this model's) (available )?context (window|size|length)/i,
  /exceeded max context length/i,
  /input tokens exceed the configured limit/i,
  /input token count.{0,30}exceeds/i,
  /context length of only/i,
  /number of tokens to keep from the initial prompt/i,
  /prompt is too long/i,
  /request too large/i,
];

const NUMBER = '(\\d[\\d,_]*)';
/** Where the limit stands in such a text. */
const LIMITS = [
  new RegExp(`"n_ctx"\\s*:\\s*${NUMBER}`),
  new RegExp(`maximum context length (?:is|of) ${NUMBER}`, 'i'),
  new RegExp(`maximum context length \\(${NUMBER}`, 'i'),
  new RegExp(`${NUMBER} maximum context length`, 'i'),
  new RegExp(`available context size \\(${NUMBER}`, 'i'),
  new RegExp(`configured limit of ${NUMBER}`, 'i'),
  new RegExp(`context length of only ${NUMBER}`, 'i'),
  new RegExp(`number of tokens allowed \\(${NUMBER}`, 'i'),
  new RegExp(`tokens > ${NUMBER}`, 'i'),
];

/** Whether an endpoint's words say that the prompt did not fit, and the limit in tokens when they name it. */
function contextOverflow(text: string): { limit: number | undefined } | null {
  if (!TOO_LONG.some((pattern) => pattern.test(text))) return null;
  for (const pattern of LIMITS) {
    const limit = Number(pattern.exec(text)?.[1]?.replace(/[,_]/g, ''));
    if (Number.isSafeInteger(limit) && limit > 0) return { limit };
  }
  return { limit: undefined };
}

const SENTENCES: Record<ModelErrorCode, (host: string) => string> = {
  unreachable: (host) => `${host} cannot be reached: check that the server runs and that OPENAI_BASE_URL is right.`,
  timeout: (host) => `${host} did not answer in time: ask again later, or choose a faster model.`,
  'rate-limited': (host) => `${host} is receiving too many requests: ask again in a little while.`,
  quota: (host) => `The account at ${host} has no credit left: add credit there, or use another key.`,
  'bad-key': (host) => `${host} refused the key: check OPENAI_API_KEY.`,
  'unknown-model': (host) => `${host} has no model of this name: set OPENAI_MODEL to one that it offers.`,
  'context-overflow': () =>
    `The prompt is longer than the model's context window: set CONTEXT_WINDOW to its true size.`,
  filtered: (host) => `The content filter of ${host} stopped this: say it in other words.`,
  'empty-answer': () => 'The model sent no text: ask again, raise MAX_ANSWER_TOKENS, or choose another model.',
  'cut-off': () => 'The answer was cut off in the middle: ask again.',
  'not-an-api': (host) => `${host} did not answer like OpenAI's API: OPENAI_BASE_URL usually ends with /v1.`,
  rejected: (host) => `${host} refused the request: choose another model, or look at the server's own log.`,
  'server-error': (host) => `${host} has trouble of its own: ask again later.`,
  cancelled: () => 'The call was cancelled.',
};

/** A deadline that passed while an answer, or the thinking before it, was coming: its endpoint is slow, not away. */
export class SlowAnswer extends ModelError {}

/** A model's error with its plain sentence; the endpoint's own words stay in the cause, as they may hold secrets. */
export function modelError(
  code: ModelErrorCode,
  { host }: Pick<Endpoint, 'host'>,
  details: ErrorOptions & { limit?: number | undefined; retryAfter?: number | undefined } = {},
): ModelError {
  return new ModelError(code, SENTENCES[code](host), details);
}

function byWords(status: number, text: string, endpoint: Endpoint, cause: unknown, retryAfter?: number): ModelError {
  const overflow = [401, 403, 429].includes(status) ? null : contextOverflow(text);
  if (overflow !== null) return modelError('context-overflow', endpoint, { cause, limit: overflow.limit });
  return modelError(errorCodeOfStatus(status, text), endpoint, { cause, retryAfter });
}

/** The status that an error body names in place of the response; errors that name none are the server's. */
function namedStatus(error: unknown): number {
  const named = typeof error === 'object' && error !== null && 'code' in error ? Number(error.code) : Number.NaN;
  return named >= 400 && named < 600 ? named : 502;
}

/** The `error` of a JSON body, or undefined. */
function errorIn(body: string | undefined): unknown {
  try {
    const parsed: unknown = JSON.parse(body ?? '');
    return typeof parsed === 'object' && parsed !== null && 'error' in parsed ? (parsed.error ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/** An error event in a stream, as the SDK throws it, or undefined. */
function errorEvent(cause: unknown): unknown {
  return typeof cause === 'object' && cause !== null && 'error' in cause ? (cause.error ?? undefined) : undefined;
}

/** Puts whatever was thrown during a call into the one class that callers know, judging by what was seen on the wire. */
export function toModelError(cause: unknown, seen: ResponseRecord, endpoint: Endpoint): ModelError {
  if (cause instanceof ModelError) return cause;
  if (seen.status === undefined) return modelError('unreachable', endpoint, { cause });
  if (seen.status >= 400) return byWords(seen.status, seen.body ?? '', endpoint, cause, seen.retryAfterMs);
  const event = errorEvent(cause) ?? (cause instanceof Error && 'cause' in cause ? errorEvent(cause.cause) : undefined);
  if (event === undefined) return modelError('cut-off', endpoint, { cause });
  const told = byWords(namedStatus(event), JSON.stringify(event), endpoint, cause);
  return told.code === 'server-error' ? modelError('cut-off', endpoint, { cause }) : told;
}

/** What to say of a response that ended in good order but was no answer: no finish reason was seen. */
export function incompleteResponseError(seen: ResponseRecord, chunks: number, endpoint: Endpoint): ModelError {
  const error = errorIn(seen.body);
  if (error !== undefined) return byWords(namedStatus(error), seen.body ?? '', endpoint, undefined, seen.retryAfterMs);
  if (seen.body !== undefined) return modelError('not-an-api', endpoint);
  return modelError(chunks === 0 && seen.streamed === true ? 'empty-answer' : 'cut-off', endpoint);
}

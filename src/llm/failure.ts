import { ModelError, type ModelErrorCode } from '../conversation/errors.js';
import { type Endpoint, errorCodeOfStatus, type ResponseRecord } from './http.js';

/** A deadline that passed while an answer, or the reasoning before it, was arriving: the endpoint is slow, not down. */
export class SlowAnswerError extends ModelError {}

/** Classifies whatever was thrown during a call, by what the response looked like on the wire. */
export function toModelError(cause: unknown, response: ResponseRecord, endpoint: Endpoint): ModelError {
  if (cause instanceof ModelError) return cause;
  const { status, body = '', retryAfterMs } = response;
  if (status === undefined) return modelError('unreachable', endpoint, { cause });
  if (status >= 400) return errorOfBody(status, body, endpoint, cause, retryAfterMs);
  const event = errorIn(cause) ?? (cause instanceof Error && 'cause' in cause ? errorIn(cause.cause) : undefined);
  if (event === undefined) return modelError('cut-off', endpoint, { cause });
  const error = errorOfBody(statusIn(event), JSON.stringify(event), endpoint, cause);
  return error.code === 'server-error' ? modelError('cut-off', endpoint, { cause }) : error;
}

/** Classifies a response that ended without an error and without a finish reason, which makes it no answer. */
export function incompleteResponseError(response: ResponseRecord, chunks: number, endpoint: Endpoint): ModelError {
  const { body, retryAfterMs, streamed } = response;
  const error = errorInBody(body);
  if (error !== undefined) return errorOfBody(statusIn(error), body ?? '', endpoint, undefined, retryAfterMs);
  if (body !== undefined) return modelError('not-an-api', endpoint);
  return modelError(chunks === 0 && streamed === true ? 'empty-answer' : 'cut-off', endpoint);
}

/** Creates a model error with its sentence; the endpoint's own words stay in the cause, as they may hold secrets. */
export function modelError(
  code: ModelErrorCode,
  { host }: Pick<Endpoint, 'host'>,
  details: ErrorOptions & { limit?: number | undefined; retryAfter?: number | undefined } = {},
): ModelError {
  return new ModelError(code, SENTENCES[code](host), details);
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

function errorOfBody(
  status: number,
  body: string,
  endpoint: Endpoint,
  cause: unknown,
  retryAfter?: number,
): ModelError {
  const overflow = [401, 403, 429].includes(status) ? null : contextOverflow(body);
  if (overflow !== null) return modelError('context-overflow', endpoint, { cause, limit: overflow.limit });
  return modelError(errorCodeOfStatus(status, body), endpoint, { cause, retryAfter });
}

/** The status that an error object names in place of the response; errors that name none count as the server's. */
function statusIn(error: unknown): number {
  const status = typeof error === 'object' && error !== null && 'code' in error ? Number(error.code) : Number.NaN;
  return status >= 400 && status < 600 ? status : 502;
}

/** The `error` of a JSON body, if there is one. */
function errorInBody(body: string | undefined): unknown {
  try {
    return errorIn(JSON.parse(body ?? ''));
  } catch {
    return undefined;
  }
}

/** The `error` of a parsed body, or of what the SDK throws for an error event in a stream, if there is one. */
function errorIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'error' in value ? (value.error ?? undefined) : undefined;
}

/** How endpoints say that a prompt is too long. */
const OVERFLOW = [
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
/** Where such a text names the limit. */
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

/** Recognizes an error text that says that the prompt did not fit, and reads the limit in tokens if it names one. */
function contextOverflow(text: string): { limit: number | undefined } | null {
  if (!OVERFLOW.some((pattern) => pattern.test(text))) return null;
  for (const pattern of LIMITS) {
    const limit = Number(pattern.exec(text)?.[1]?.replace(/[,_]/g, ''));
    if (Number.isSafeInteger(limit) && limit > 0) return { limit };
  }
  return { limit: undefined };
}

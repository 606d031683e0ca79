import { ConfigError, type ModelErrorCode } from '../conversation/errors.js';

/** OpenAI's own API, or one that is modelled on it and may know less. */
export type Dialect = 'openai' | 'compatible';

/** Where a model is called. `host` is the part of the address that may be shown: it holds no credentials. */
export type Endpoint = { baseUrl: string; host: string; key: string; dialect: Dialect };

/** How an endpoint is configured; without a base URL it is OpenAI's. */
export type EndpointOptions = { apiKey: string | undefined; baseUrl: string | undefined };

const OPENAI = 'https://api.openai.com/v1';
/** Sent where no key is configured, so that the SDK takes none from the environment. */
export const NO_KEY = 'none';

/**
 * Resolves the address, the key and the dialect of an endpoint.
 * @throws {ConfigError} when the base URL is not a web address.
 */
export function resolveEndpoint({ apiKey, baseUrl = OPENAI }: EndpointOptions): Endpoint {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(['OPENAI_BASE_URL: must be an http:// or https:// address, like http://127.0.0.1:11434/v1']);
  }
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    host: url.host,
    key: apiKey ?? NO_KEY,
    dialect: /(^|\.)api\.openai\.com$/.test(url.hostname) ? 'openai' : 'compatible',
  };
}

/** What was seen of a response on the wire, for classifying failures. */
export type ResponseRecord = {
  status?: number;
  /** Milliseconds that the server asked to wait. */
  retryAfterMs?: number;
  /** The body, when it was not an event stream. */
  body?: string;
  /** Whether any byte of an event stream came. */
  streamed?: boolean;
};

/** Characters of a body that are kept; what follows says nothing more about an error. */
const BODY_LIMIT = 65_536;

/**
 * Creates a `fetch` that writes what it sees into a record and calls `onBytes` for every chunk of bytes, so that
 * comment lines, which keep a connection alive but become no event, count as activity.
 */
export function recordingFetch(record: ResponseRecord, onBytes: () => void): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await globalThis.fetch(input, init);
    const { status, statusText, headers, body } = response;
    const wait = retryAfter(headers);
    Object.assign(record, { status, ...(wait === undefined ? {} : { retryAfterMs: wait }) });
    const streams = response.ok && !/\b(json|html)\b/.test(headers.get('content-type') ?? '');
    if (!streams || body === null) {
      const text = await response.text();
      record.body = text.slice(0, BODY_LIMIT);
      return new Response(text, { status, statusText, headers });
    }
    const tap = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        record.streamed = true;
        onBytes();
        controller.enqueue(bytes);
      },
    });
    return new Response(body.pipeThrough(tap), { status, statusText, headers });
  };
}

function retryAfter(headers: Headers): number | undefined {
  const milliseconds = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (milliseconds >= 0) return milliseconds;
  const value = headers.get('retry-after')?.trim() ?? '';
  const delay = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(delay) ? undefined : Math.max(0, delay);
}

const FILTERED = /content_filter|content management policy|ResponsibleAIPolicyViolation/i;
const NO_CREDIT =
  /insufficient[_ -]?(quota|balance)|exceeded your current quota|billing|credit balance|out of credits/i;
const NO_SUCH_MODEL = /model_not_found|model[^.]{0,120}(not exist|not found)|not a valid model|invalid model/i;
/** A chat template that refuses the prompt's shape with status 500: a retry changes nothing. */
const TEMPLATE = /jinja|chat template|roles must alternate|system message must be|unexpected message role/i;

/**
 * Classifies an error response by status and text, since error types and codes differ from server to server. Prompts
 * that are too long are recognized beforehand.
 */
export function errorCodeOfStatus(status: number, text: string): ModelErrorCode {
  if (status === 401 || status === 403) return 'bad-key';
  if (status === 402) return 'quota';
  if (status === 429) return NO_CREDIT.test(text) ? 'quota' : 'rate-limited';
  if (FILTERED.test(text)) return 'filtered';
  if (TEMPLATE.test(text)) return 'rejected';
  if (status < 500 && NO_SUCH_MODEL.test(text)) return 'unknown-model';
  if (status === 404 || status === 405) return 'not-an-api';
  if (status === 413) return 'context-overflow';
  return status === 408 || status >= 500 ? 'server-error' : 'rejected';
}

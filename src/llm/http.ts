import { ConfigError, type ModelErrorCode } from '../conversation/errors.js';

/** What was seen of a response, for telling what went wrong. */
export type ResponseRecord = {
  status?: number;
  /** Milliseconds that the server asked to wait. */
  retryAfterMs?: number;
  /** The body, when it was not an event stream. */
  body?: string;
  /** Whether any byte of an event stream came. */
  streamed?: boolean;
};

/** Longer bodies hold no more news about an error. */
const BODY_LIMIT = 65_536;

function retryAfter(headers: Headers): number | undefined {
  const milliseconds = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (milliseconds >= 0) return milliseconds;
  const value = headers.get('retry-after')?.trim() ?? '';
  const delay = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(delay) ? undefined : Math.max(0, delay);
}

/**
 * A `fetch` that writes down what it sees and tells of every byte, so that comment lines, which keep a connection alive,
 * count as signs of life although they make no chunks.
 */
export function recordingFetch(seen: ResponseRecord, heard: () => void): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await globalThis.fetch(input, init);
    const { status, statusText, headers, body } = response;
    const wait = retryAfter(headers);
    Object.assign(seen, { status, ...(wait === undefined ? {} : { retryAfterMs: wait }) });
    const streams = response.ok && !/\b(json|html)\b/.test(headers.get('content-type') ?? '');
    if (!streams || body === null) {
      const text = await response.text();
      seen.body = text.slice(0, BODY_LIMIT);
      return new Response(text, { status, statusText, headers });
    }
    const listening = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        seen.streamed = true;
        heard();
        controller.enqueue(bytes);
      },
    });
    return new Response(body.pipeThrough(listening), { status, statusText, headers });
  };
}

/** OpenAI's own API, or one that is modelled on it and may know less. */
export type Dialect = 'openai' | 'compatible';

/** Where a model is called. `host` is the part of the address that may be shown: it holds no credentials. */
export type Endpoint = { baseUrl: string; host: string; key: string; dialect: Dialect };

/** What a caller says about an endpoint; without a base URL it is OpenAI's, and the dialect follows from the host. */
export type EndpointOptions = {
  apiKey: string | undefined;
  baseUrl: string | undefined;
};

const OPENAI = 'https://api.openai.com/v1';
/** Sent where no key is needed, so that no other key of the environment is taken instead. */
const NO_KEY = 'none';

/**
 * The endpoint that is meant.
 * @throws {ConfigError} when the base URL is not a web address.
 */
export function resolveEndpoint({ apiKey, baseUrl = OPENAI }: EndpointOptions): Endpoint {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(['OPENAI_BASE_URL: must be an http:// or https:// address, like http://127.0.0.1:11434/v1']);
  }
  const own = /(^|\.)api\.openai\.com$/.test(url.hostname);
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    host: url.host,
    key: apiKey ?? NO_KEY,
    dialect: own ? 'openai' : 'compatible',
  };
}

const FILTERED = /content_filter|content management policy|ResponsibleAIPolicyViolation/i;
const NO_CREDIT =
  /insufficient[_ -]?(quota|balance)|exceeded your current quota|billing|credit balance|out of credits/i;
const NO_SUCH_MODEL = /model_not_found|model[^.]{0,120}(not exist|not found)|not a valid model|invalid model/i;
/** A chat template that refuses the prompt's shape: trying again changes nothing. */
const TEMPLATE = /jinja|chat template|roles must alternate|system message must be|unexpected message role/i;

/**
 * What an error status means, by status and text, since classes and codes differ from server to server. Prompts that are
 * too long are told apart beforehand.
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

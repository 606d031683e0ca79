import { ConfigError } from '../conversation/errors.js';

/** OpenAI's own API, or one that is modelled on it and may know less. */
export type Dialect = 'openai' | 'compatible';

/** Where a model is called. `host` is the part of the address that may be shown: it holds no credentials. */
export type Endpoint = { baseUrl: string; host: string; key: string; dialect: Dialect };

/** What a caller says about an endpoint; without a base URL it is OpenAI's, and the dialect follows from the host. */
export type EndpointOptions = {
  apiKey: string | undefined;
  baseUrl: string | undefined;
  dialect?: Dialect | undefined;
};

const OPENAI = 'https://api.openai.com/v1';
/** Sent where no key is needed, so that no other key of the environment is taken instead. */
const NO_KEY = 'none';

/**
 * The endpoint that is meant.
 * @throws {ConfigError} when the base URL is not a web address.
 */
export function endpointOf({ apiKey, baseUrl = OPENAI, dialect }: EndpointOptions): Endpoint {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(['OPENAI_BASE_URL: must be an http:// or https:// address, like http://127.0.0.1:11434/v1']);
  }
  const own = /(^|\.)api\.openai\.com$/.test(url.hostname);
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    host: url.host,
    key: apiKey ?? NO_KEY,
    dialect: dialect ?? (own ? 'openai' : 'compatible'),
  };
}

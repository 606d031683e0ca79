import type { Core } from '../core.js';
import type { JournalFile, RestEntry } from '../journal-entries.js';
import type { Json } from '../json.js';

/** A request that has been read and routed. */
export type Call = {
  core: Core;
  /** Ids and names out of the path, by the route's names for them. */
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
  form: Json;
  files: Upload[];
  entry: RestEntry;
};

/** A file of a multipart request; `index` is the n of `files[n]`. */
export type Upload = JournalFile & { index: string };

/** What is sent back. Without `json` and `bytes` the body is empty and has no content type. */
export type RestResponse = {
  status: number;
  json?: unknown;
  bytes?: Buffer | string;
  headers?: Record<string, string>;
};

/** Does the work of one route, or throws an ApiError. */
export type Handler = (call: Call) => RestResponse;

/** One endpoint. `open` needs no bot token. */
export type Route = { method: string; pattern: string; handle: Handler; open?: boolean };

/** 200 with a body. */
export function ok(json: unknown): RestResponse {
  return { status: 200, json };
}

/** 204. */
export const NO_CONTENT: RestResponse = { status: 204 };

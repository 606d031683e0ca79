import type { IncomingHttpHeaders } from 'node:http';

/** A chat completion request as it was sent. */
export type ChatRequest = {
  model: string;
  messages: { role: string; content: unknown; name?: string }[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  max_tokens?: number;
  max_completion_tokens?: number;
  temperature?: number;
};

/** A recorded request. `closed` resolves when its response or connection has ended. */
export type JournalEntry = {
  n: number;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The parsed body of a request to `/v1/chat/completions`. */
  chat: ChatRequest | null;
  closed: Promise<void>;
};

/** One step of a streamed answer; a string is a piece of text. */
export type Step =
  | string
  | { delta: Record<string, unknown>; finish?: string }
  | { finish: string }
  | { usage: unknown }
  /** An error event in the middle of the stream. */
  | { error: unknown }
  /** Bytes as they are. */
  | { raw: string }
  /** Continues when the promise resolves. */
  | { wait: Promise<unknown> }
  /** Ends the response without `[DONE]`. */
  | { end: true }
  /** Ends the connection with a reset. */
  | { reset: true };

/** The response to one request. `steps` make an event stream, `json` and `body` are sent as they are. */
export type Script = {
  status?: number;
  headers?: Record<string, string>;
  /** The headers are sent when this resolves. */
  before?: Promise<unknown>;
  steps?: readonly Step[];
  json?: unknown;
  body?: string;
};

/** Chooses the response to a chat request, the `n`th of the server, counted from 1. */
export type Responder = (request: ChatRequest, n: number) => Script;

/** The plain text of a message, whatever its parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: string }) => part.text ?? '').join('');
}

/** The text of the last message: the question. */
export function questionOf(request: ChatRequest): string {
  return textOf(request.messages.at(-1)?.content);
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { perform } from './respond.js';
import { answer, failure, type OverflowDialect, overflow } from './scripts.js';
import { strictFault } from './strict.js';
import { type ChatRequest, type JournalEntry, questionOf, type Responder, type Script, textOf } from './wire.js';

/** The behaviour of the server towards every chat request. */
export type FakeOpenAIOptions = {
  respond?: Responder;
  models?: readonly string[];
  /** Refuse whatever a strict chat template refuses. */
  strict?: boolean;
  /** Refuse longer prompts; `count` defaults to a quarter of the characters. */
  contextLimit?: { tokens: number; dialect: OverflowDialect; count?: (text: string) => number };
};

/** A running server on 127.0.0.1. */
export type FakeOpenAI = {
  baseUrl: string;
  port: number;
  /** Every request, oldest first. */
  requests: JournalEntry[];
  /** The bodies of the chat requests, oldest first. */
  chats(): ChatRequest[];
  /** Queues scripts for the next chat requests, one each; the responder answers those after them. */
  script(...scripts: Script[]): void;
  /** Resolves when the `n`th request has arrived. */
  received(n: number): Promise<JournalEntry>;
  close(): Promise<void>;
};

function tokensOf(request: ChatRequest, count = (all: string) => Math.ceil(all.length / 4)): number {
  return count(request.messages.map((message) => textOf(message.content)).join('\n'));
}

/** Answers with the question, and with usage when the request asks for it. */
const echo: Responder = (request) => {
  const reply = `You said: ${questionOf(request)}`;
  const usage = { prompt_tokens: tokensOf(request), completion_tokens: Math.ceil(reply.length / 4), total_tokens: 0 };
  usage.total_tokens = usage.prompt_tokens + usage.completion_tokens;
  return request.stream_options?.include_usage === true ? answer(reply, { usage }) : answer(reply);
};

function choose(request: ChatRequest, n: number, queue: Script[], options: FakeOpenAIOptions): Script {
  const fault = options.strict === true ? strictFault(request) : null;
  if (fault !== null) return failure(400, { message: fault, type: 'BadRequestError' });
  const { contextLimit } = options;
  const used = contextLimit === undefined ? 0 : tokensOf(request, contextLimit.count);
  if (contextLimit !== undefined && used > contextLimit.tokens) {
    return overflow(contextLimit.dialect, contextLimit.tokens, used);
  }
  return queue.shift() ?? (options.respond ?? echo)(request, n);
}

function journal(requests: JournalEntry[], request: IncomingMessage, response: ServerResponse, body: string) {
  const path = request.url ?? '';
  const chat = path.endsWith('/chat/completions') ? (JSON.parse(body) as ChatRequest) : null;
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  const { method = '', headers } = request;
  const entry: JournalEntry = { n: requests.length + 1, method, path, headers, body, chat, closed };
  requests.push(entry);
  return entry;
}

/** Starts an OpenAI-like server that follows scripts and records its requests. */
export async function startFakeOpenAI(options: FakeOpenAIOptions = {}): Promise<FakeOpenAI> {
  const requests: JournalEntry[] = [];
  const queue: Script[] = [];
  const waiting: { n: number; resolve: (entry: JournalEntry) => void }[] = [];

  const server = createServer(async (request, response) => {
    response.on('error', () => {});
    const entry = journal(requests, request, response, await text(request).catch(() => ''));
    for (const waiter of waiting) if (waiter.n === entry.n) waiter.resolve(entry);
    if (entry.chat !== null) return await perform(choose(entry.chat, entry.n, queue, options), entry.chat, response);
    const data = (options.models ?? ['fake-model']).map((id) => ({ id, object: 'model' }));
    const models = entry.path === '/v1/models';
    await perform(
      models ? { json: { object: 'list', data } } : failure(500, { message: 'no such path' }),
      null,
      response,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    chats: () => requests.flatMap((entry) => entry.chat ?? []),
    script: (...scripts) => void queue.push(...scripts),
    received: (n) => {
      const entry = requests[n - 1];
      return entry === undefined ? new Promise((resolve) => waiting.push({ n, resolve })) : Promise.resolve(entry);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

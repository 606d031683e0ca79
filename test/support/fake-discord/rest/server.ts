import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { asObject } from '../shared/json.js';
import { createPort, type Port } from '../shared/port.js';
import type { Core } from '../state/core.js';
import type { Fault } from '../state/faults.js';
import type { RestEntry } from '../state/journal.js';
import { tooManyRequests } from '../state/rate-limits.js';
import { ApiError, type RestResponse, type Route, refuse, type Upload } from './call.js';
import { createRouter } from './routes.js';

/** The REST API's server on its own port; `url` is what a client takes as `rest.api`. */
export function createRestServer(core: Core, routes: readonly Route[]): Port {
  const find = createRouter(routes);
  const perform = (request: IncomingMessage, entry: RestEntry, read: ReadBody): RestResponse => {
    if (read.body instanceof ApiError) throw read.body;
    const found = find(entry.method, entry.path);
    if (found === undefined) {
      entry.unknownRoute = true;
      throw refuse('notFound');
    }
    if (!found.route.open && request.headers.authorization !== `Bot ${core.options.token}`)
      throw refuse('unauthorized');
    const { body, files } = read;
    return found.route.handle({
      core,
      params: found.params,
      query: entry.query,
      body,
      form: asObject(body),
      files,
      entry,
    });
  };
  return createPort((request, response) => {
    handleRequest(core, request, response, perform).catch((error: unknown) => {
      if (response.destroyed) return;
      response.writeHead(500).end(String(error));
    });
  });
}

type Perform = (request: IncomingMessage, entry: RestEntry, read: ReadBody) => RestResponse;

async function handleRequest(
  core: Core,
  request: IncomingMessage,
  response: ServerResponse,
  perform: Perform,
): Promise<void> {
  const { entry, read } = await recordRequest(core, request);
  const met = core.faults.take(entry);
  entry.fault = met?.fault.kind ?? null;
  const fault = met?.fault;
  const finish = (outcome: RestEntry['outcome'], answer: RestResponse | null) => {
    const { status = null, json: sent = null, headers: answerHeaders = {} } = answer ?? {};
    Object.assign(entry, { outcome, endedAt: core.clock.now(), status, answer: sent, answerHeaders });
    core.journal.changed(entry);
  };
  if (fault?.kind === 'drop') {
    finish('dropped', null);
    return breakConnection(response, fault.how);
  }
  if (met !== undefined) await waitForFault(met, 'before');
  const scripted = fault && faultResponse(fault);
  const answer = scripted ?? respond(core, entry, () => perform(request, entry, read));
  if (met !== undefined) await waitForFault(met, 'after');
  if (fault?.kind === 'lose-answer') {
    finish('lost', answer);
    return breakConnection(response, fault.how);
  }
  finish('answered', answer);
  writeResponse(response, answer);
}

async function recordRequest(core: Core, request: IncomingMessage): Promise<{ entry: RestEntry; read: ReadBody }> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const read = await readBody(request).catch((): ReadBody => ({ body: refuse('invalidJson'), files: [] }));
  const entry = core.journal.add<RestEntry>({
    kind: 'rest',
    endedAt: null,
    method: request.method ?? '',
    path: decodeURIComponent(url.pathname).replace(/^\/api(\/v\d+)?/, ''),
    query: Object.fromEntries(url.searchParams),
    body: read.body instanceof Error ? null : read.body,
    files: read.files.map(({ name, contentType, bytes }) => ({ name, contentType, bytes })),
    outcome: 'pending',
    status: null,
    answer: null,
    answerHeaders: {},
    pings: null,
    fault: null,
    unknownRoute: false,
  });
  return { entry, read };
}

function respond(core: Core, entry: RestEntry, perform: () => RestResponse): RestResponse {
  const verdict = core.rateLimits.check(entry.method, entry.path);
  if (verdict.refused !== null) {
    const refusal = tooManyRequests(verdict.refused.scope, verdict.refused.retryAfter);
    return { ...refusal, headers: { ...verdict.headers, ...refusal.headers } };
  }
  try {
    const answer = perform();
    return { ...answer, headers: { ...verdict.headers, ...answer.headers } };
  } catch (error) {
    if (!(error instanceof ApiError))
      return { status: 501, json: { message: `fault of the fake: ${(error as Error).stack}` } };
    const { status, code, message, errors } = error;
    return { status, json: { message, code, ...(errors === undefined ? {} : { errors }) }, headers: verdict.headers };
  }
}

function breakConnection(response: ServerResponse, how: 'reset' | 'hang'): void {
  if (how === 'reset') response.socket?.resetAndDestroy();
}

function writeResponse(response: ServerResponse, { status, json, bytes, headers }: RestResponse): void {
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...type, ...headers });
  response.end(json === undefined ? bytes : JSON.stringify(json));
}

/** The answer that a fault gives in place of the work; undefined when the work is done. */
function faultResponse(fault: Fault): RestResponse | undefined {
  if (fault.kind === 'rate-limited') return tooManyRequests(fault.scope, fault.retryAfter);
  if (fault.kind === 'cloudflare') return cloudflareResponse(fault.retryAfter);
  if (fault.kind !== 'status') return undefined;
  const { status, body, headers } = fault;
  const answer = typeof body === 'object' && body !== null ? { json: body } : { bytes: String(body ?? '') };
  return { status, ...answer, ...(headers === undefined ? {} : { headers }) };
}

function cloudflareResponse(retryAfter: number | undefined): RestResponse {
  return {
    status: 429,
    bytes: '<!doctype html><html><head><title>Access denied | discord.com</title></head><body>error 1015</body></html>',
    headers: {
      'content-type': 'text/html; charset=UTF-8',
      ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
    },
  };
}

/** Waits as a `delay` or `hold` wants it, before or after the work. */
async function waitForFault(met: { fault: Fault; released: Promise<void> }, when: 'before' | 'after'): Promise<void> {
  const { fault, released } = met;
  if (fault.kind === 'delay' && fault.when === when) await sleep(fault.ms, undefined, { ref: false });
  if (fault.kind === 'hold' && fault.when === when) await released;
}

/** A request's body: JSON, or a form of `payload_json` and `files[n]`. */
type ReadBody = { body: unknown; files: Upload[] };

/** Reads and parses a body. @throws {ApiError} 50109 for what is no JSON. */
async function readBody(request: IncomingMessage): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  if (bytes.length === 0) return { body: undefined, files: [] };
  if (!type.startsWith('multipart/form-data')) return { body: parseJson(bytes.toString()), files: [] };
  return readForm(bytes, type);
}

async function readForm(bytes: Buffer, type: string): Promise<ReadBody> {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  const files: Upload[] = [];
  const fields: Record<string, unknown> = {};
  for (const [key, value] of form.entries()) {
    if (typeof value === 'string') fields[key] = key === 'payload_json' ? parseJson(value) : value;
    else {
      const index = /^files\[(\d+)\]$/.exec(key)?.[1] ?? key;
      files.push({ index, name: value.name, contentType: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
    }
  }
  const { payload_json: payload, ...rest } = fields;
  return { body: { ...rest, ...asObject(payload) }, files };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('invalidJson');
  }
}

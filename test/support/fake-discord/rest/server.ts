import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { asObject } from '../shared/json.js';
import { createPort, type Port } from '../shared/port.js';
import type { Core } from '../state/core.js';
import type { Fault } from '../state/faults.js';
import type { RestEntry } from '../state/journal.js';
import { tooManyRequests } from '../state/rate-limits.js';
import { ApiError, apiError, type RestResponse, type Upload } from './call.js';
import { findRoute } from './routes.js';

/** Creates the server of the REST API and the CDN. */
export function createRestServer(core: Core): Port {
  return createPort((request, response) => {
    handleRequest(core, request, response).catch((error: unknown) => {
      if (response.destroyed) return;
      response.writeHead(500).end(String(error));
    });
  });
}

async function handleRequest(core: Core, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { entry, parsed } = await recordRequest(core, request);
  const injected = core.faults.take(entry);
  entry.fault = injected?.fault.kind ?? null;
  const fault = injected?.fault;
  const complete = (outcome: RestEntry['outcome'], sent: RestResponse | null) => {
    const { status = null, json: answer = null, headers: answerHeaders = {} } = sent ?? {};
    Object.assign(entry, { outcome, endedAt: core.clock.now(), status, answer, answerHeaders });
    core.journal.changed(entry);
  };
  if (fault?.kind === 'drop') {
    complete('dropped', null);
    return breakConnection(response, fault.how);
  }
  if (injected !== undefined) await waitForFault(injected, 'before');
  const result = (fault && faultResponse(fault)) ?? processRequest(core, entry, request.headers.authorization, parsed);
  if (injected !== undefined) await waitForFault(injected, 'after');
  if (fault?.kind === 'lose-answer') {
    complete('lost', result);
    return breakConnection(response, fault.how);
  }
  complete('answered', result);
  writeResponse(response, result);
}

async function recordRequest(core: Core, request: IncomingMessage): Promise<{ entry: RestEntry; parsed: ParsedBody }> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const parsed = await readBody(request).catch((): ParsedBody => ({ body: apiError('invalidJson'), files: [] }));
  const entry = core.journal.add<RestEntry>({
    kind: 'rest',
    endedAt: null,
    method: request.method ?? '',
    path: decodeURIComponent(url.pathname).replace(/^\/api(\/v\d+)?/, ''),
    query: Object.fromEntries(url.searchParams),
    body: parsed.body instanceof Error ? null : parsed.body,
    files: parsed.files.map(({ name, contentType, bytes }) => ({ name, contentType, bytes })),
    outcome: 'pending',
    status: null,
    answer: null,
    answerHeaders: {},
    pings: null,
    fault: null,
    unknownRoute: false,
  });
  return { entry, parsed };
}

function processRequest(
  core: Core,
  entry: RestEntry,
  authorization: string | undefined,
  parsed: ParsedBody,
): RestResponse {
  const { headers, refused } = core.rateLimits.check(entry.method, entry.path);
  if (refused !== null) {
    const refusal = tooManyRequests(refused.scope, refused.retryAfter);
    return { ...refusal, headers: { ...headers, ...refusal.headers } };
  }
  try {
    const result = routeRequest(core, entry, authorization, parsed);
    return { ...result, headers: { ...headers, ...result.headers } };
  } catch (error) {
    if (!(error instanceof ApiError))
      return { status: 501, json: { message: `fault of the fake: ${(error as Error).stack}` } };
    const { status, code, message, errors } = error;
    return { status, json: { message, code, ...(errors === undefined ? {} : { errors }) }, headers };
  }
}

function routeRequest(
  core: Core,
  entry: RestEntry,
  authorization: string | undefined,
  { body, files }: ParsedBody,
): RestResponse {
  if (body instanceof ApiError) throw body;
  const found = findRoute(entry.method, entry.path);
  if (found === undefined) {
    entry.unknownRoute = true;
    throw apiError('notFound');
  }
  const { route, params } = found;
  if (!route.withoutToken && authorization !== `Bot ${core.options.token}`) throw apiError('unauthorized');
  return route.handle({ core, params, query: entry.query, body, form: asObject(body), files, entry });
}

function breakConnection(response: ServerResponse, how: 'reset' | 'hang'): void {
  if (how === 'reset') response.socket?.resetAndDestroy();
}

function writeResponse(response: ServerResponse, { status, json, bytes, headers }: RestResponse): void {
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...type, ...headers });
  response.end(json === undefined ? bytes : JSON.stringify(json));
}

/** Returns the response that a fault sends instead of processing the request; undefined for faults that do not. */
function faultResponse(fault: Fault): RestResponse | undefined {
  if (fault.kind === 'rate-limited') return tooManyRequests(fault.scope, fault.retryAfter);
  if (fault.kind === 'cloudflare') return cloudflareResponse(fault.retryAfter);
  if (fault.kind !== 'status') return undefined;
  const { status, body, headers } = fault;
  const content = typeof body === 'object' && body !== null ? { json: body } : { bytes: String(body ?? '') };
  return { status, ...content, ...(headers === undefined ? {} : { headers }) };
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

/** Waits for a `delay` or `hold` before or after the processing. */
async function waitForFault(
  injected: { fault: Fault; released: Promise<void> },
  when: 'before' | 'after',
): Promise<void> {
  const { fault, released } = injected;
  if (fault.kind === 'delay' && fault.when === when) await sleep(fault.ms, undefined, { ref: false });
  if (fault.kind === 'hold' && fault.when === when) await released;
}

/** A body: JSON, or `payload_json` and `files[n]` of a multipart form. An ApiError if it cannot be parsed. */
type ParsedBody = { body: unknown; files: Upload[] };

/** @throws {ApiError} 50109 for invalid JSON. */
async function readBody(request: IncomingMessage): Promise<ParsedBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  if (bytes.length === 0) return { body: undefined, files: [] };
  if (!type.startsWith('multipart/form-data')) return { body: parseJson(bytes.toString()), files: [] };
  return readForm(bytes, type);
}

async function readForm(bytes: Buffer, type: string): Promise<ParsedBody> {
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
    throw apiError('invalidJson');
  }
}

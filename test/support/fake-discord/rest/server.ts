import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, refuse } from '../api-error.js';
import type { Core } from '../core.js';
import type { RestEntry } from '../journal-entries.js';
import { asObject } from '../json.js';
import { createPort, type Port } from '../port.js';
import { tooManyRequests } from '../rate-limits.js';
import type { RestResponse, Route } from './call.js';
import { faultResponse, waitForFault } from './misbehave.js';
import { type ReadBody, readBody } from './read-request.js';
import { createRouter } from './router.js';

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
    const refusal = tooManyRequests(verdict.refused.scope, verdict.refused.after);
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

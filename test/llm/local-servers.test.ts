import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chooseModel } from '../../src/llm/choose-model.js';
import { PATIENT } from './model-calls.js';

const { timeout } = AbortSignal;
// On a busy machine even a server that answers at once may take longer than the probe waits.
beforeEach(() => void vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(10 * ms)));

const servers: Server[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const listing =
  (...ids: string[]): RequestListener =>
  (_, response) =>
    void response.end(JSON.stringify({ object: 'list', data: ids.map((id) => ({ id })) }));

const silent: RequestListener = () => {};
const webApp: RequestListener = (_, response) => void response.end('<!doctype html><title>Jenkins</title>');

/** Looks for servers on these ports, named A, B, C … in order: the model and the server that were chosen, or null. */
async function probe(...ports: number[]): Promise<string | null> {
  const localServers = ports.map((port, at) => ({ port, server: String.fromCharCode(65 + at) }));
  const options = { model: 'gpt-4o-mini', modelWasSet: false, deadlines: PATIENT, probeLocal: true, localServers };
  const { source, notice } = await chooseModel(options);
  return source === 'offline' ? null : (/^Using (.* of [A-Z]) at 127\.0\.0\.1/u.exec(notice)?.[1] ?? notice);
}

describe('the probe of this machine', () => {
  it('finds the first chat model of a server', async () => {
    const port = await serve(listing('llama3.2', 'qwen'));
    expect(await probe(port)).toBe('llama3.2 of A');
  });

  it('prefers the first port, not the first response', async () => {
    let answer = () => {};
    const slow = await serve((request, response) => {
      answer = () => listing('slow')(request, response);
    });
    const quick = await serve((request, response) => {
      listing('quick')(request, response);
      response.on('close', () => answer());
    });
    expect(await probe(slow, quick)).toBe('slow of A');
  });

  it('skips models that do not chat', async () => {
    const mixed = await serve(
      listing(
        'nomic-embed-text',
        'bge-m3',
        'whisper-1',
        'tts-1',
        'dall-e-3',
        'jina-reranker',
        'gpt-image-1',
        'mistral',
      ),
    );
    expect(await probe(mixed)).toBe('mistral of A');
    expect(await probe(await serve(listing('nomic-embed-text')))).toBeNull();
  });

  it.each<[string, RequestListener]>([
    ['a web application', webApp],
    ['JSON of another shape', (_, response) => void response.end('{"data":[{"name":"x"}]}')],
    ['a list of nothing', listing()],
    ['an error', (_, response) => void response.writeHead(404).end('{"data":[{"id":"x"}]}')],
    ['a server that hangs up', (request) => void request.socket.destroy()],
  ])('ignores %s', async (_, listener) => {
    const good = await serve(listing('good'));
    expect(await probe(await serve(listener), good)).toBe('good of B');
    expect(await probe(await serve(listener))).toBeNull();
  });

  it('follows no redirect', async () => {
    const good = await serve(listing('good'));
    const location = `http://127.0.0.1:${good}/v1/models`;
    const away = await serve((_, response) => void response.writeHead(302, { location }).end());
    expect(await probe(away)).toBeNull();
  });

  it('gives up on a server that does not respond', async () => {
    vi.restoreAllMocks();
    const began = performance.now();
    expect(await probe(await serve(silent))).toBeNull();
    expect(performance.now() - began).toBeGreaterThan(300);
  });

  it('finds nothing where nothing listens', async () => {
    const port = await serve(webApp);
    await new Promise((resolve) => servers.splice(0)[0]?.close(resolve));
    expect(await probe(port)).toBeNull();
  });

  it('sends no key from the environment', async () => {
    process.env.OPENAI_API_KEY = 'sk-secret';
    const headers: unknown[] = [];
    const port = await serve((request, response) => {
      headers.push(request.headers);
      listing('x')(request, response);
    });
    await probe(port);
    delete process.env.OPENAI_API_KEY;
    expect(headers).toHaveLength(1);
    expect(JSON.stringify(headers)).not.toContain('sk-secret');
  });
});

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { LOCAL_SERVERS, probeLocal } from '../../src/llm/connect.js';

const servers: Server[] = [];
afterEach(async () => {
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

/** Probes these ports, named A, B, C … in order, with time enough for any that answers. */
function probe(ports: number[], timeoutMs = 5_000) {
  return probeLocal({ timeoutMs, ports: ports.map((port, at) => ({ port, server: String.fromCharCode(65 + at) })) });
}

describe('the probe of this machine', () => {
  it('finds the first chat model of a server', async () => {
    const port = await serve(listing('llama3.2', 'qwen'));
    expect(await probe([port])).toEqual({ baseUrl: `http://127.0.0.1:${port}/v1`, model: 'llama3.2', server: 'A' });
  });

  it('prefers the order of the ports to the order of the answers', async () => {
    let answer = () => {};
    const slow = await serve((request, response) => {
      answer = () => listing('slow')(request, response);
    });
    const quick = await serve((request, response) => {
      listing('quick')(request, response);
      response.on('close', () => answer());
    });
    expect(await probe([slow, quick])).toMatchObject({ model: 'slow' });
  });

  it('passes over models that do not chat', async () => {
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
    expect(await probe([mixed])).toMatchObject({ model: 'mistral' });
    expect(await probe([await serve(listing('nomic-embed-text'))])).toBeNull();
  });

  it.each<[string, RequestListener]>([
    ['a web application', webApp],
    ['JSON of another shape', (_, response) => void response.end('{"data":[{"name":"x"}]}')],
    ['a list of nothing', listing()],
    ['an error', (_, response) => void response.writeHead(404).end('{"data":[{"id":"x"}]}')],
    ['a server that hangs up', (request) => void request.socket.destroy()],
  ])('takes no notice of %s', async (_, listener) => {
    const good = await serve(listing('good'));
    expect(await probe([await serve(listener), good])).toMatchObject({ model: 'good', server: 'B' });
    expect(await probe([await serve(listener)])).toBeNull();
  });

  it('follows no redirect', async () => {
    const good = await serve(listing('good'));
    const location = `http://127.0.0.1:${good}/v1/models`;
    const away = await serve((_, response) => void response.writeHead(302, { location }).end());
    expect(await probe([away])).toBeNull();
  });

  it('waits for no server that says nothing', async () => {
    const hanging = await serve(silent);
    expect(await probe([hanging], 50)).toBeNull();
  });

  it('finds nothing where nothing listens', async () => {
    const port = await serve(webApp);
    await new Promise((resolve) => servers.splice(0)[0]?.close(resolve));
    expect(await probe([port])).toBeNull();
  });

  it('sends no key that it may know of', async () => {
    process.env.OPENAI_API_KEY = 'sk-secret';
    const headers: unknown[] = [];
    const port = await serve((request, response) => {
      headers.push(request.headers);
      listing('x')(request, response);
    });
    await probe([port]);
    delete process.env.OPENAI_API_KEY;
    expect(headers).toHaveLength(1);
    expect(JSON.stringify(headers)).not.toContain('sk-secret');
  });

  it('looks at the usual ports, Ollama’s first', () => {
    expect(LOCAL_SERVERS.map(({ port }) => port)).toEqual([11_434, 1_234, 8_080, 8_000, 1_337, 5_001, 5_000]);
  });
});

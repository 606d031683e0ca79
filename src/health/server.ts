import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../conversation/errors.js';
import type { Metrics } from './metrics.js';
import { type Health, type HealthProbe, probeHealth } from './probe.js';

/** What is served where. */
type HealthOptions = { host: string; port: number; probe: HealthProbe; metrics: Metrics };

/** A health server that listens; `port` is the one it got. */
export type HealthServer = { port: number; close(): Promise<void> };

/** The store is asked at most this often, however often the server is, in milliseconds. */
const FRESH_MS = 2_000;
const PATIENCE_MS = 5_000;

/**
 * Serves `/healthz` (JSON; 200 when healthy, else 503) and `/metrics` (Prometheus), to whoever can reach the address.
 * @throws {ConfigError} when the address cannot be listened on.
 */
export async function startHealthServer({ host, port, probe, metrics }: HealthOptions): Promise<HealthServer> {
  const health = remembered(() => probeHealth(probe, PATIENCE_MS));
  const answer = async (path: string | undefined, response: ServerResponse): Promise<void> => {
    if (path === '/healthz') {
      const found = await health();
      return send(response, found.ok ? 200 : 503, 'application/json', `${JSON.stringify(found)}\n`);
    }
    if (path !== '/metrics') return send(response, 404, 'text/plain', 'Here are /healthz and /metrics.\n');
    const { type, body } = await metrics.read();
    send(response, 200, type, body);
  };
  const server = createServer(({ url, method }, response) => {
    if (method !== 'GET' && method !== 'HEAD') return send(response, 405, 'text/plain', 'Only GET is answered.\n');
    answer(url?.split('?')[0], response).catch(() => send(response, 500, 'text/plain', 'The readings failed.\n'));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', () => reject(new ConfigError([`HEALTH_PORT: ${host}:${port} is taken or not allowed`])));
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}

/** Gives the last finding while it is fresh, and one answer to all who ask at once. */
function remembered(find: () => Promise<Health>): () => Promise<Health> {
  let last: { at: number; found: Promise<Health> } | null = null;
  return () => {
    if (last === null || performance.now() - last.at > FRESH_MS) last = { at: performance.now(), found: find() };
    return last.found;
  };
}

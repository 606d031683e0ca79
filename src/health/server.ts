import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../conversation/errors.js';
import type { Metrics } from './metrics.js';
import { type Health, type HealthProbe, probeHealth } from './probe.js';

type HealthOptions = { host: string; port: number; probe: HealthProbe; metrics: Metrics };

/** A listening health server; `port` is the actual one. */
export type HealthServer = { port: number; close(): Promise<void> };

/** A result is reused for this time, so that requests cannot cause a write each. */
const CACHE_MS = 2_000;
const PROBE_TIMEOUT_MS = 5_000;

/**
 * Serves `/healthz` (JSON; 200 when healthy, else 503) and `/metrics` (Prometheus), to whoever can reach the address.
 * @throws {ConfigError} when the address cannot be listened on.
 */
export async function startHealthServer({ host, port, probe, metrics }: HealthOptions): Promise<HealthServer> {
  const health = cached(() => probeHealth(probe, PROBE_TIMEOUT_MS));
  const respond = async (path: string | undefined, response: ServerResponse): Promise<void> => {
    if (path === '/healthz') {
      const result = await health();
      return send(response, result.ok ? 200 : 503, 'application/json', `${JSON.stringify(result)}\n`);
    }
    if (path !== '/metrics') return send(response, 404, 'text/plain', 'Here are /healthz and /metrics.\n');
    const { type, body } = await metrics.read();
    send(response, 200, type, body);
  };
  const server = createServer(({ url, method }, response) => {
    if (method !== 'GET' && method !== 'HEAD') return send(response, 405, 'text/plain', 'Only GET is answered.\n');
    respond(url?.split('?')[0], response).catch(() => send(response, 500, 'text/plain', 'The readings failed.\n'));
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

/** Concurrent callers share one probe. */
function cached(probe: () => Promise<Health>): () => Promise<Health> {
  let last: { at: number; result: Promise<Health> } | null = null;
  return () => {
    if (last === null || performance.now() - last.at > CACHE_MS) last = { at: performance.now(), result: probe() };
    return last.result;
  };
}

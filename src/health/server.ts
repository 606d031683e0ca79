import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../conversation/errors.js';
import type { LastFold, Metrics } from './metrics.js';

/** The checks of a running bot's parts. */
export type HealthProbe = {
  /** Tells whether the gateway is connected. */
  gateway: () => boolean;
  /** Writes to the store; rejects when that fails. */
  write: () => Promise<void>;
  lastFold: () => LastFold | null;
  /** The status of the circuit breaker of the model's endpoint: `closed`, `open` or `trying`. */
  model: () => string;
};

/** The body of `/healthz`. `ok` is false when gateway or store do not work; an endpoint's outage does not count. */
export type Health = {
  ok: boolean;
  gateway: 'connected' | 'disconnected';
  store: 'writable' | 'not writable';
  /** The last fold of this process with its end as an ISO time; null before the first one. */
  lastFold: { at: string; outcome: string } | null;
  model: string;
};

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

/** Runs all checks; a store that does not answer within `timeoutMs` counts as not writable. */
export async function probeHealth(probe: HealthProbe, timeoutMs: number): Promise<Health> {
  const writable = await succeedsWithin(probe.write, timeoutMs);
  const connected = probe.gateway();
  const fold = probe.lastFold();
  return {
    ok: writable && connected,
    gateway: connected ? 'connected' : 'disconnected',
    store: writable ? 'writable' : 'not writable',
    lastFold: fold === null ? null : { at: new Date(fold.at).toISOString(), outcome: fold.outcome },
    model: probe.model(),
  };
}

async function succeedsWithin(task: () => Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const done = task().then(
    () => true,
    () => false,
  );
  const result = await Promise.race([done, timeout]);
  clearTimeout(timer);
  return result;
}

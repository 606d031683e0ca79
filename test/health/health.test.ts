import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError } from '../../src/conversation/errors.js';
import { createMetrics } from '../../src/health/metrics.js';
import { type HealthProbe, probeHealth, startHealthServer } from '../../src/health/server.js';

const HOST = '127.0.0.1';
const well: HealthProbe = {
  gateway: () => true,
  write: async () => {},
  lastFold: () => ({ at: Date.UTC(2030, 0, 1), outcome: 'done' }),
  model: () => 'closed',
};

async function aServer(probe: Partial<HealthProbe> = {}, metrics = createMetrics(Date.now)) {
  const server = await startHealthServer({ host: HOST, port: 0, probe: { ...well, ...probe }, metrics });
  onTestFinished(() => server.close());
  return { server, get: (path: string, init?: RequestInit) => fetch(`http://${HOST}:${server.port}${path}`, init) };
}

describe('/healthz', () => {
  it('says 200 and the state of the parts while gateway and store work', async () => {
    const { get } = await aServer();
    const response = await get('/healthz');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await response.json()).toEqual({
      ok: true,
      gateway: 'connected',
      store: 'writable',
      lastFold: { at: '2030-01-01T00:00:00.000Z', outcome: 'done' },
      model: 'closed',
    });
  });

  it.each<[string, Partial<HealthProbe>, Record<string, unknown>]>([
    ['the gateway is away', { gateway: () => false }, { gateway: 'disconnected' }],
    ['the store refuses', { write: () => Promise.reject(new Error('secret reason')) }, { store: 'not writable' }],
  ])('says 503 when %s, and why, without the error’s own words', async (_, probe, expected) => {
    const { get } = await aServer(probe);
    const response = await get('/healthz');
    expect(response.status).toBe(503);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ ok: false, ...expected });
    expect(text).not.toContain('secret');
  });

  it('counts a store that does not answer as one that cannot be written', async () => {
    const found = await probeHealth({ ...well, write: () => new Promise(() => {}) }, 1);
    expect([found.ok, found.store]).toEqual([false, 'not writable']);
  });

  it('stays 200 while the model’s breaker is open, since a restart would not help', async () => {
    const { get } = await aServer({ model: () => 'open', lastFold: () => null });
    const response = await get('/healthz');
    expect([response.status, await response.json()]).toMatchObject([200, { model: 'open', lastFold: null }]);
  });

  it('writes to the store once, however many ask at the same time', async () => {
    let writes = 0;
    const { get } = await aServer({
      write: async () => {
        writes += 1;
      },
    });
    await Promise.all(Array.from({ length: 20 }, () => get('/healthz')));
    expect(writes).toBe(1);
  });
});

describe('/metrics', () => {
  it('gives what was measured in Prometheus’ format, with the process’s own readings', async () => {
    const metrics = createMetrics(() => 5);
    metrics.meter.count('turns', { outcome: 'answered' });
    metrics.meter.count('tokens', { direction: 'input' }, 120);
    metrics.meter.count('refusals', { status: '429' });
    metrics.meter.time('first-token', 250);
    metrics.meter.queued(3);
    const { get } = await aServer({}, metrics);
    const response = await get('/metrics?x=1');
    expect(response.headers.get('content-type')).toContain('text/plain');
    const lines = (await response.text()).split('\n');
    for (const line of [
      'keepsake_turns_total{outcome="answered"} 1',
      'keepsake_tokens_total{direction="input"} 120',
      'keepsake_refusals_total{status="429"} 1',
      'keepsake_turn_seconds_bucket{le="0.3",part="first-token"} 1',
      'keepsake_turn_seconds_sum{part="first-token"} 0.25',
      'keepsake_queue_length 3',
    ]) {
      expect(lines).toContain(line);
    }
    for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes', 'process_open_fds']) {
      expect(lines.some((line) => line.startsWith(`${name} `))).toBe(true);
    }
  });

  it('remembers when and how the last fold ended', () => {
    let now = 1;
    const { meter, lastFold } = createMetrics(() => now);
    expect(lastFold()).toBeNull();
    meter.count('folds', { outcome: 'failed' });
    now = 2;
    meter.count('turns', { outcome: 'answered' });
    expect(lastFold()).toEqual({ at: 1, outcome: 'failed' });
  });
});

describe('the health server', () => {
  it('answers nothing else, and takes no posts', async () => {
    const { get } = await aServer();
    expect((await get('/')).status).toBe(404);
    expect((await get('/healthz', { method: 'POST' })).status).toBe(405);
  });

  it('refuses an address that is taken, and names the setting', async () => {
    const { server } = await aServer();
    const again = startHealthServer({ host: HOST, port: server.port, probe: well, metrics: createMetrics(Date.now) });
    const refused = await again.catch((error) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect(refused.message).toMatch(/^HEALTH_PORT: .*taken or not allowed$/u);
  });
});

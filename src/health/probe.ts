import type { LastFold } from './metrics.js';

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

import type { LastFold } from './metrics.js';

/** How the parts of a running bot are asked for their health. */
export type HealthProbe = {
  /** Whether the gateway is connected. */
  gateway: () => boolean;
  /** Writes to the store; rejects when that fails. */
  write: () => Promise<void>;
  lastFold: () => LastFold | null;
  /** How the model's endpoint stands: `closed` answers, `open` is left alone after failures, `half-open` is being tried. */
  model: () => string;
};

/** What `/healthz` tells. `ok` is false when the bot can neither hear nor keep anything; the model's troubles pass. */
export type Health = {
  ok: boolean;
  gateway: 'connected' | 'disconnected';
  store: 'writable' | 'not writable';
  /** When a fold last ended, as an ISO time, and how; null before the first one of this process. */
  lastFold: { at: string; outcome: string } | null;
  model: string;
};

/** Asks all parts; a store that does not answer within `patienceMs` counts as not writable. */
export async function probeHealth(probe: HealthProbe, patienceMs: number): Promise<Health> {
  const writable = await succeedsWithin(probe.write, patienceMs);
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

async function succeedsWithin(work: () => Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const done = work().then(
    () => true,
    () => false,
  );
  const result = await Promise.race([done, late]);
  clearTimeout(timer);
  return result;
}

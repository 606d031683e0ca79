import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../conversation/clock.js';
import type { Counts, Meter } from '../conversation/meter.js';

/** The end of the last fold: its time in milliseconds since 1970, and its outcome. */
export type LastFold = { at: number; outcome: Counts['folds']['outcome'] };

/** A meter that Prometheus can scrape. */
export type Metrics = {
  meter: Meter;
  /** The last fold of this process, or null. */
  lastFold(): LastFold | null;
  /** Formats all metrics in Prometheus' text format; `type` is its content type. */
  read(): Promise<{ type: string; body: string }>;
};

/** From a fast recall to the slowest answer, in seconds. */
const BUCKETS = [0.005, 0.02, 0.1, 0.3, 1, 3, 10, 30, 90];

const HELP: { [K in keyof Counts]: { help: string; label: keyof Counts[K] & string } } = {
  turns: { help: 'Turns, by how they ended', label: 'outcome' },
  tokens: { help: 'Tokens that the model endpoint reports', label: 'direction' },
  folds: { help: 'Folds of older talk into summaries, by how they ended', label: 'outcome' },
  refusals: { help: 'Requests that Discord refused, by status', label: 'status' },
};

/** Creates a meter with a registry of its own; it includes the process's event loop delay, memory and open files. */
export function createMetrics(clock: Clock): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const names = Object.keys(HELP) as (keyof Counts)[];
  const counters = new Map(
    names.map((name) => {
      const { help, label } = HELP[name];
      return [name, new Counter({ name: `keepsake_${name}_total`, help, labelNames: [label], registers })];
    }),
  );
  const parts = new Histogram({
    name: 'keepsake_turn_seconds',
    help: 'Seconds that the parts of a turn take',
    labelNames: ['part'],
    buckets: BUCKETS,
    registers,
  });
  const queue = new Gauge({ name: 'keepsake_queue_length', help: 'Turns that run or wait', registers });
  let lastFold: LastFold | null = null;
  return {
    meter: {
      count(name, labels, by = 1) {
        counters.get(name)?.inc(labels as Record<string, string>, by);
        if (name === 'folds') lastFold = { at: clock(), outcome: (labels as Counts['folds']).outcome };
      },
      time: (part, ms) => parts.observe({ part }, ms / 1_000),
      queued: (turns) => queue.set(turns),
    },
    lastFold: () => lastFold,
    read: async () => ({ type: registry.contentType, body: await registry.metrics() }),
  };
}

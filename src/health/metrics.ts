import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../conversation/clock.js';
import type { Counts, Meter } from '../conversation/meter.js';

/** When a fold last ended, in milliseconds since 1970, and how. */
export type LastFold = { at: number; outcome: Counts['folds']['outcome'] };

/** A meter whose readings Prometheus takes. */
export type Metrics = {
  meter: Meter;
  /** The last fold of this process, or null. */
  lastFold(): LastFold | null;
  /** All readings in Prometheus' text format, and its content type. */
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

/** Creates a meter of its own; event loop delay, memory and open files of the process are read with it. */
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
  const help = 'Seconds that the parts of a turn take';
  const parts = new Histogram({
    name: 'keepsake_turn_seconds',
    help,
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

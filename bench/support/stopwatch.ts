import { cpuNow } from './measure.js';

/** Splits the processor time of turns by what it was spent on, in microseconds. */
export type Stopwatch = {
  /** Times a piece of work under a name; nested pieces are not split. */
  time<T>(part: string, work: () => T): T;
  /** Ends a turn: what was timed since the last end becomes one sample of each part. */
  lap(): void;
  /** Samples by part; a part that a turn did not have counts 0. */
  samples(part: string): number[];
};

/** A stopwatch that stands at zero. */
export function createStopwatch(): Stopwatch {
  const laps: Map<string, number>[] = [];
  let lap = new Map<string, number>();
  const add = (part: string, began: number) => lap.set(part, (lap.get(part) ?? 0) + cpuNow() - began);
  return {
    time(part, work) {
      const began = cpuNow();
      const result = work();
      if (result instanceof Promise) result.then(() => add(part, began));
      else add(part, began);
      return result;
    },
    lap() {
      laps.push(lap);
      lap = new Map();
    },
    samples: (part) => laps.map((each) => each.get(part) ?? 0),
  };
}

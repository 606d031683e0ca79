import { Bench } from 'tinybench';

/** Something that carries out one turn at a time; `rest` does what follows a turn without anyone waiting for it. */
export type Contender = {
  name: string;
  turn(): Promise<void> | void;
  rest?(): Promise<void> | void;
  close(): Promise<void> | void;
};

/** Samples in microseconds: elapsed and processor time of each turn, and processor time of what followed it. */
export type Timing = { wall: number[]; cpu: number[]; rest: number[] };

/** Processor time of this process so far, all threads, in microseconds. */
export function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** The middle value. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[sorted.length - 1 - middle], sorted[middle]];
  return (low + high) / 2;
}

/** The mean value. */
export function mean(samples: readonly number[]): number {
  return samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
}

/** Lets contenders take turns, `turns` at a stretch, in a new order in every round; a first round warms up and is not kept. */
export async function race(
  contenders: readonly Contender[],
  { rounds, turns }: { rounds: number; turns: number },
): Promise<Map<string, Timing>> {
  globalThis.gc?.();
  const timings = new Map<string, Timing>(contenders.map(({ name }) => [name, { wall: [], cpu: [], rest: [] }]));
  for (let round = 0; round <= rounds; round += 1) {
    const order = contenders.toSorted((a, b) => place(a.name, round) - place(b.name, round));
    for (const contender of order) {
      const timing = await stretch(contender, turns);
      if (round === 0) continue;
      const kept = timings.get(contender.name);
      for (const clock of ['wall', 'cpu', 'rest'] as const) kept?.[clock].push(...timing[clock]);
    }
  }
  return timings;
}

async function stretch(contender: Contender, turns: number): Promise<Timing> {
  const timing: Timing = { wall: [], cpu: [], rest: [] };
  const bench = new Bench({ iterations: turns, time: 0, warmup: false, retainSamples: true, throws: true });
  let before = 0;
  bench.add(contender.name, () => contender.turn(), {
    async: true,
    beforeEach: () => {
      before = cpuNow();
    },
    afterEach: async () => {
      const after = cpuNow();
      timing.cpu.push(after - before);
      await contender.rest?.();
      timing.rest.push(cpuNow() - after);
    },
  });
  const [task] = await bench.run();
  const result = task?.result;
  if (result === undefined || !('latency' in result)) throw new Error(`${contender.name} was not measured`);
  timing.wall.push(...(result.latency.samples ?? []).map((milliseconds) => milliseconds * 1_000));
  return timing;
}

/** An arbitrary but repeatable place in the order of a round. */
function place(name: string, round: number): number {
  let hash = round * 2_654_435_761;
  for (const letter of name) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619);
  return hash >>> 0;
}

/** Times a contender that may take very long: until the turns are done or the time is up; null when one turn did not end. */
export async function timeBox(contender: Contender, turns: number, seconds: number): Promise<Timing | null> {
  const timing: Timing = { wall: [], cpu: [], rest: [] };
  const end = performance.now() + seconds * 1_000;
  while (timing.wall.length < turns && performance.now() < end) {
    const [started, before] = [performance.now(), cpuNow()];
    try {
      await contender.turn();
    } catch (error) {
      if (error instanceof OutOfTime) return null;
      throw error;
    }
    timing.wall.push((performance.now() - started) * 1_000);
    timing.cpu.push(cpuNow() - before);
    await contender.rest?.();
  }
  return timing;
}

/** Thrown by a contender that is asked to go on after its time. */
export class OutOfTime extends Error {}

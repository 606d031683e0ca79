import type { Readings } from './readings.js';
import type { Stage } from './stage.js';

/** One look at the bot; `pid` tells its lives apart. */
export type Look = Readings & { at: number; pid: number };

/** Looks at a stage's bot again and again. */
export type Watch = { looks: Look[]; end(): void };

const EVERY_MS = 5_000;
/** The heap finds its size, and code is compiled, in the first minutes. */
const WARM_UP_MS = 120_000;
/** A shorter stretch says nothing of what lives: a heap grows and is collected in waves. */
const HEAP_TELLS_MS = 4 * 60_000;
/** V8 and the allocator take memory in steps and keep it; for some minutes more that looks like a slope, and levels off. */
const RSS_TELLS_MS = 15 * 60_000;
const MINUTE_MS = 60_000;
/** Looks in a minute. */
const A_MINUTE = MINUTE_MS / EVERY_MS;

/** Begins to watch; while the bot does not run there is nothing to see. */
export function watchBot(stage: Stage): Watch {
  const looks: Look[] = [];
  const look = async () => {
    const { pid } = stage.bot();
    const readings = await stage.readings().catch(() => null);
    if (readings !== null) looks.push({ ...readings, at: performance.now(), pid });
  };
  const timer = setInterval(() => void look(), EVERY_MS);
  return { looks, end: () => clearInterval(timer) };
}

/** One life of the bot after its warm-up: how long it was watched, and what grew; of the files the fewest in its first and last minute. */
export type Life = {
  minutes: number;
  /** Resident memory in MB, minute by minute from the start on, its least in each. */
  rss: number[];
  rssPerMinute: number;
  /** What lives on the heap in MB, likewise, and the slope of that. */
  heap: number[];
  heapPerMinute: number;
  /** Which of the two slopes the life was long enough for. */
  telling: { heap: boolean; rss: boolean };
  filesFirst: number;
  filesLast: number;
};

/** The lives that lasted longer than their warm-up. */
export function livesOf(looks: readonly Look[]): Life[] {
  return [...new Set(looks.map(({ pid }) => pid))].flatMap((pid) => {
    const all = looks.filter((look) => look.pid === pid);
    const warm = all.filter(({ at }) => at - all[0]!.at >= WARM_UP_MS);
    const [first, last] = [warm[0], warm.at(-1)];
    if (first === undefined || last === undefined || warm.length < 6) return [];
    const span = last.at - first.at;
    return [
      {
        minutes: span / MINUTE_MS,
        rss: byMinute(all, ({ rss }) => rss),
        rssPerMinute: slope(warm.map(({ at, rss }) => [at / MINUTE_MS, rss])),
        heap: byMinute(all, heapOf),
        heapPerMinute: slope(byMinute(warm, heapOf).map((heap, minute) => [minute, heap])),
        telling: { heap: span >= HEAP_TELLS_MS, rss: span >= RSS_TELLS_MS },
        filesFirst: fewest(warm.slice(0, A_MINUTE)),
        filesLast: fewest(warm.slice(-A_MINUTE)),
      },
    ];
  });
}

/** The least of each minute; what lies above it is garbage that was not collected yet. */
function byMinute(looks: readonly Look[], pick: (look: Look) => number): number[] {
  const minutes = Math.ceil(looks.length / A_MINUTE);
  return Array.from({ length: minutes }, (_, i) =>
    Math.min(...looks.slice(i * A_MINUTE, (i + 1) * A_MINUTE).map(pick)),
  );
}

/** What has outlived two collections; the young rest comes and goes by megabytes. */
function heapOf({ metrics }: Look): number {
  return (metrics.get('nodejs_heap_space_size_used_bytes{space="old"}') ?? Number.NaN) / 2 ** 20;
}

/** What stays open; connections that come and go are not counted. */
function fewest(looks: readonly Look[]): number {
  return Math.min(...looks.map(({ files }) => files));
}

/** By least squares. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (pick: 0 | 1) => points.reduce((sum, point) => sum + point[pick], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const over = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  const under = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  return over / under;
}

import type { Readings } from './readings.js';
import type { Stage } from './stage.js';

/** One look at the bot; `pid` tells its lives apart. */
export type Look = Readings & { at: number; pid: number };

/** Looks at a stage's bot again and again. */
export type Watch = { looks: Look[]; end(): void };

const EVERY_MS = 5_000;
const WARM_UP_MS = 60_000;
/** A shorter stretch says nothing of a slope: a heap grows and is collected in waves. */
const TELLING_MS = 4 * 60_000;
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
export type Life = { minutes: number; rssPerMinute: number; telling: boolean; filesFirst: number; filesLast: number };

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
        rssPerMinute: slope(warm) * MINUTE_MS,
        telling: span >= TELLING_MS,
        filesFirst: fewest(warm.slice(0, A_MINUTE)),
        filesLast: fewest(warm.slice(-A_MINUTE)),
      },
    ];
  });
}

/** What stays open; connections that come and go are not counted. */
function fewest(looks: readonly Look[]): number {
  return Math.min(...looks.map(({ files }) => files));
}

/** Megabytes a millisecond, by least squares. */
function slope(looks: readonly Look[]): number {
  const mean = (pick: (look: Look) => number) => looks.reduce((sum, look) => sum + pick(look), 0) / looks.length;
  const [at, rss] = [mean((look) => look.at), mean((look) => look.rss)];
  const over = looks.reduce((sum, look) => sum + (look.at - at) * (look.rss - rss), 0);
  const under = looks.reduce((sum, look) => sum + (look.at - at) ** 2, 0);
  return over / under;
}

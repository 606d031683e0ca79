import { expect, it } from 'vitest';
import { liveThroughKills } from '../support/kill-life.js';
import { patiently } from '../support/patience.js';

const KILLS = Number(process.env.KILLS ?? 12);
/** Fixed, so that a change is judged by itself; `npm run kills` takes another one each time, and `KILL_SEED` replays it. */
const SEED = Number(process.env.KILL_SEED ?? 28_752_500);

it(
  `keeps every promise through ${KILLS} kills of real processes (KILL_SEED=${SEED})`,
  async () => {
    // Two lives side by side, since a process that starts keeps one core busy.
    const half = Math.ceil(KILLS / 2);
    const lives = await Promise.all([liveThroughKills(half, SEED), liveThroughKills(half, SEED + 1)]);
    const broken = lives.filter(({ faults }) => faults.length > 0);
    expect({ seed: SEED, broken }).toEqual({ seed: SEED, broken: [] });
    const reached = lives.flatMap(({ kills }) => kills).filter((kill) => !kill.endsWith('(not reached)'));
    expect(reached.length).toBeGreaterThan(KILLS / 5);
  },
  patiently(60_000 + KILLS * 5_000),
);

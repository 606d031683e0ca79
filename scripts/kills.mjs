// npm run kills -- [kills] [seed]: lives through many kills of real processes, and replays what a seed has found.
import { spawnSync } from 'node:child_process';

const [kills = '200', seed] = process.argv.slice(2);
const env = { ...process.env, KILLS: kills, ...(seed === undefined ? {} : { KILL_SEED: seed }) };
const { status } = spawnSync('npx', ['vitest', 'run', 'test/e2e/kill-loop.test.ts'], { env, stdio: 'inherit' });
process.exitCode = status ?? 1;

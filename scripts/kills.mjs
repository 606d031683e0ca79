// npm run kills -- [kills] [seed]: lives through many kills of real processes, and replays what a seed has found.
import { spawnSync } from 'node:child_process';

const [kills = '200', seed = String(Date.now() % 1_000_000_000)] = process.argv.slice(2);
if (!(Number(kills) > 0) || Number.isNaN(Number(seed))) {
  process.stderr.write('usage: npm run kills -- [KILLS] [SEED], both numbers\n');
  process.exit(2);
}
const env = { ...process.env, KILLS: kills, KILL_SEED: seed };
const { status } = spawnSync('npx', ['vitest', 'run', 'test/e2e/kill-loop.test.ts'], { env, stdio: 'inherit' });
process.exitCode = status ?? 1;

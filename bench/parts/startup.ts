import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../support/measure.js';
import { duration, markdown } from '../support/report.js';
import { scratchFolder, seedDatabase } from '../support/seed.js';

const CHAT = fileURLToPath(import.meta.resolve('#dist/bin/chat.js'));
const ROUNDS = 7;
/** Clock ticks of `/proc`, in microseconds. */
const TICK = 10_000;

type Start = { name: string; args: readonly string[]; env: Record<string, string> };
type Taken = { wall: number; cpu: number };

/** Measures how long the terminal chat takes until it has answered a command that was typed before it was there. */
export async function startup(): Promise<string> {
  const folder = scratchFolder();
  const kept = join(folder, 'kept.db');
  const long = join(folder, 'long.db');
  try {
    await seedDatabase(long, 100_000);
    await take({ name: '', args: [CHAT], env: { DATABASE_URL: kept } }, folder);
    const starts: Start[] = [
      { name: 'node alone', args: ['-e', "console.log('/quit')"], env: {} },
      { name: 'first start, database made', args: [CHAT], env: { DATABASE_URL: join(folder, 'fresh.db') } },
      { name: 'later start', args: [CHAT], env: { DATABASE_URL: kept } },
      { name: 'later start, 100,000 messages kept', args: [CHAT], env: { DATABASE_URL: long } },
      { name: 'later start, with a key', args: [CHAT], env: { DATABASE_URL: kept, OPENAI_API_KEY: 'sk-bench' } },
    ];
    const taken = new Map<string, Taken[]>(starts.map(({ name }) => [name, []]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const start of starts) taken.get(start.name)?.push(await take(start, folder));
      for (const rest of ['', '-wal', '-shm']) rmSync(join(folder, `fresh.db${rest}`), { force: true });
    }
    return table(taken);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One start, from the spawn until `/help` is answered, which comes after the prompt. */
function take({ args, env }: Start, folder: string): Promise<Taken> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
    let shown = '';
    let taken: Taken | null = null;
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      shown += piece;
      if (taken !== null || !shown.includes('/quit', shown.indexOf('leave.') + 1)) return;
      taken = { wall: (performance.now() - began) * 1_000, cpu: cpuOf(child.pid) };
      child.stdin.end('/quit\n');
    });
    child.stdin.on('error', () => {}).write('/help\n');
    child.once('error', reject);
    child.once('exit', () => (taken === null ? reject(new Error(`no answer at the start: ${shown}`)) : resolve(taken)));
  });
}

/** Processor time of a process so far in microseconds, all threads; not a number where there is no `/proc`. */
function cpuOf(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK;
  } catch {
    return Number.NaN;
  }
}

function table(taken: Map<string, Taken[]>): string {
  const rows = [...taken].map(([name, all]) => {
    const walls = all.map(({ wall }) => wall);
    return [name, duration(median(walls)), duration(Math.min(...walls)), duration(median(all.map(({ cpu }) => cpu)))];
  });
  return markdown({
    title: 'Start of the terminal',
    about:
      `From the spawn of \`npm run chat\`’s process until it has answered \`/help\`, which it does after showing its prompt; ${ROUNDS} ` +
      'interleaved starts. Without a key it looks for a server on this machine first. Aim: prompt under 1 s on two cores.',
    head: ['', 'median', 'fastest', 'processor time'],
    rows,
  });
}

import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const START = fileURLToPath(import.meta.resolve('#dist/bin/start.js'));
const LOGGED_IN = 'Logged in as';

/** How a process ended; `code` is null when a signal ended it. */
export type Ending = { code: number | null; signal: NodeJS.Signals | null };

/** A built bot in a process of its own. */
export type BotProcess = {
  pid: number;
  /** Milliseconds from the start of the process until it was logged in. */
  startedIn: number;
  signal(signal: NodeJS.Signals): void;
  ended: Promise<Ending>;
};

const running = new Set<number>();
process.once('exit', () => {
  for (const pid of running) process.kill(pid, 'SIGKILL');
});

/** Starts the bot in a folder, its output going to `bot.log` there, and waits until it is logged in. */
export async function startBotProcess(folder: string, env: Record<string, string>): Promise<BotProcess> {
  const began = performance.now();
  const child = spawn(process.execPath, [START], { cwd: folder, env: { PATH: process.env.PATH, ...env } });
  const pid = child.pid ?? 0;
  running.add(pid);
  const log = createWriteStream(join(folder, 'bot.log'), { flags: 'a' });
  const ended = new Promise<Ending>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(pid);
      resolve({ code, signal });
    });
  });
  child.stderr.pipe(log, { end: false });
  await new Promise<void>((resolve, reject) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      log.write(piece);
      if (said.length < 10_000) said += piece;
      if (said.includes(LOGGED_IN)) resolve();
    });
    void ended.then(({ code }) => reject(new Error(`the bot ended with ${code} before it was logged in:\n${said}`)));
  });
  return {
    pid,
    startedIn: performance.now() - began,
    signal: (signal) => void child.kill(signal),
    ended,
  };
}

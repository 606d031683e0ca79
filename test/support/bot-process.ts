import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const START = fileURLToPath(new URL('../../dist/bin/start.js', import.meta.url));

/** How a process ended; `code` is null when a signal ended it. */
export type Ending = { code: number | null; signal: NodeJS.Signals | null };

/** A built bot in a process of its own. */
export type BotProcess = {
  /** All that it has written so far. */
  out(): string;
  errors(): string;
  /** Resolves when standard output holds this text; rejects with all output when the process ends without it. */
  said(text: string): Promise<void>;
  /** Types a line. */
  type(line: string): void;
  /** Sends a signal; SIGKILL is what a crash looks like. */
  signal(signal: NodeJS.Signals): void;
  /** How it ended. */
  ended: Promise<Ending>;
};

/** What the bot prints once it takes commands and messages. */
export const LOGGED_IN = 'Logged in as';

const running = new Set<ChildProcessWithoutNullStreams>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts the built bot in a folder, with nothing in its environment but what is given; it never outlives the caller. */
export function startBotProcess(folder: string, env: Record<string, string>): BotProcess {
  const child = spawn(process.execPath, [START], { cwd: folder, env: { PATH: process.env.PATH, ...env } });
  running.add(child);
  let [out, errors] = ['', ''];
  const look = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    out += piece;
    for (const each of look) each();
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    errors += piece;
  });
  const ended = new Promise<Ending>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      refuseSecrets(out + errors, env);
      resolve({ code, signal });
    });
  });
  return {
    out: () => out,
    errors: () => errors,
    said: (text) =>
      new Promise((resolve, reject) => {
        const check = () => out.includes(text) && resolve();
        look.add(check);
        check();
        void ended.then(() => reject(new Error(`the bot ended without “${text}”:\n${out}${errors}`)));
      }),
    type: (line) => void child.stdin.write(`${line}\n`),
    signal: (signal) => void child.kill(signal),
    ended,
  };
}

/** Whatever a test is about, no bot may ever write its secrets. @throws out of all promises, which fails the run. */
function refuseSecrets(output: string, env: Record<string, string>): void {
  for (const name of ['DISCORD_TOKEN', 'OPENAI_API_KEY']) {
    const secret = env[name]?.trim() ?? '';
    if (secret.length > 8 && output.includes(secret)) throw new Error(`the bot wrote its ${name}:\n${output}`);
  }
}

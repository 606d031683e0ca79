import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { resolve } from 'node:path';

/** The folder of the built programs. */
const BIN = resolve(import.meta.dirname, '../../dist/bin');

/** How a program ended, and all that it wrote; `code` is null when a signal ended it. */
export type Ending = { code: number | null; signal: NodeJS.Signals | null; out: string; errors: string };

/** A built program in a process of its own. */
export type Program = {
  /** What it has written so far. */
  out(): string;
  errors(): string;
  /** Resolves when standard output holds a text; rejects with all output when the process ends without it. */
  says(text: string): Promise<void>;
  /** Types whole lines. */
  type(...lines: string[]): void;
  /** Ends the input, and resolves when the program has ended. */
  end(): Promise<Ending>;
  /** Sends a signal; SIGKILL is what a crash looks like. */
  signal(signal: NodeJS.Signals): void;
  ended: Promise<Ending>;
  child: ChildProcessWithoutNullStreams;
};

/** What is started, where, and with which arguments; nothing but `env` stands in its environment. */
export type Start = {
  bin: string;
  folder: string;
  args?: readonly string[];
  env?: Record<string, string>;
  /** Another user, and the group of that number. */
  uid?: number;
};

/** What the bot prints once it takes commands and messages. */
export const LOGGED_IN = 'Logged in as';

const running = new Set<ChildProcessWithoutNullStreams>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts one of `dist/bin/`, or a file by its whole path; it never outlives the caller. */
export function startProgram({ bin, folder, args = [], env = {}, uid }: Start): Program {
  const bare = { PATH: process.env.PATH ?? '', HOME: folder, PROBE_LOCAL: '0', ...env };
  const file = bin.includes('/') ? bin : resolve(BIN, `${bin}.js`);
  const child = spawn(process.execPath, [file, ...args], {
    cwd: folder,
    env: bare,
    ...(uid !== undefined && { uid, gid: uid }),
  });
  running.add(child);
  const written = { out: '', errors: '' };
  const looks = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    written.out += piece;
    for (const look of looks) look();
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    written.errors += piece;
  });
  // It may have ended before all was typed.
  child.stdin.on('error', () => {});
  const ended = new Promise<Ending>((done) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      refuseSecrets(written.out + written.errors, bare);
      done({ code, signal, ...written });
    });
  });
  return {
    child,
    ended,
    out: () => written.out,
    errors: () => written.errors,
    says: (text) =>
      new Promise((found, missed) => {
        const look = () => written.out.includes(text) && found();
        looks.add(look);
        look();
        void ended.then(({ out, errors }) => missed(new Error(`it ended without “${text}”:\n${out}${errors}`)));
      }),
    type: (...lines) => void child.stdin.write(lines.map((line) => `${line}\n`).join('')),
    end() {
      child.stdin.end();
      return ended;
    },
    signal: (signal) => void child.kill(signal),
  };
}

/** Whatever a test is about, no program may ever write its secrets. @throws out of all promises, which fails the run. */
function refuseSecrets(output: string, env: Record<string, string>): void {
  for (const name of ['DISCORD_TOKEN', 'OPENAI_API_KEY']) {
    const secret = env[name]?.trim() ?? '';
    if (secret.length > 8 && output.includes(secret)) throw new Error(`the program wrote its ${name}:\n${output}`);
  }
}

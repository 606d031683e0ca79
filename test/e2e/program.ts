import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

const DIST = resolve(import.meta.dirname, '../../dist/bin');

/** How a program ended, and all that it said. */
export type Ending = { code: number | null; signal: string | null; out: string; errors: string };

/** A running program that a person uses through its standard streams. */
export type Program = {
  child: ChildProcess;
  /** Sends whole lines. */
  type(...lines: string[]): void;
  /** Resolves when the standard output holds a text; rejects when the program ends without having said it. */
  says(text: string): Promise<void>;
  /** Ends the input, and resolves when the program has ended. */
  end(): Promise<Ending>;
  ended: Promise<Ending>;
};

/** How a program is started; without a folder it gets a new one, so that no `.env` and no database is there. */
export type Start = {
  bin?: 'start' | 'chat';
  args?: string[];
  env?: Record<string, string>;
  folder?: string;
};

/** A new folder that goes when the test ends. */
export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-e2e-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts what `npm start` or `npm run chat` starts, in a bare environment and without looking for model servers. */
export function startProgram({ bin = 'chat', args = [], env = {}, folder = aFolder() }: Start = {}): Program {
  const bare = { PATH: process.env.PATH ?? '', HOME: folder, PROBE_LOCAL: '0', ...env };
  const child = spawn(process.execPath, [join(DIST, `${bin}.js`), '--name', 'Ada', ...args], {
    cwd: folder,
    env: bare,
  });
  const said = { out: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    said.out += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    said.errors += piece;
  });
  child.stdin.on('error', () => {});
  const ended = new Promise<Ending>((done) => {
    child.on('close', (code, signal) => done({ code, signal, ...said }));
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    child,
    ended,
    type: (...lines) => void child.stdin.write(lines.map((line) => `${line}\n`).join('')),
    says: (text) =>
      new Promise((found, missed) => {
        const look = () => said.out.includes(text) && found();
        child.stdout.on('data', look);
        child.on('close', () => missed(new Error(`it ended without "${text}": ${said.out}\n${said.errors}`)));
        look();
      }),
    end() {
      child.stdin.end();
      return ended;
    },
  };
}

/** Carries a script out: types all lines, ends the input and waits for the end. */
export async function run(lines: readonly string[], start: Start = {}): Promise<Ending> {
  const program = startProgram(start);
  program.type(...lines);
  return await program.end();
}

/** The answers of the offline model in an output, without its label. */
export function answersIn(out: string): string[] {
  const label = '[offline model: no language model is connected; quoting memory]';
  return out
    .split('keepsake> ')
    .slice(1)
    .map((answer) => answer.replace(`${label}\n`, '').trimEnd());
}

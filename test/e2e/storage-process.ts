import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Store, Turn, UnfinishedAnswer } from '../../src/conversation/store.js';
import type { StoreOptions } from '../../src/storage/open.js';

const SCRIPT = fileURLToPath(new URL('child/play.mjs', import.meta.url));

/** One verb of a store with what is given to it; `TURN` stands for the turn that was opened last. */
export type PlayStep = [verb: keyof Store | 'hold', ...values: unknown[]];

/** What a process of its own is to do with a database. */
export type Orders = { path: string; options?: StoreOptions; fault?: string; steps?: PlayStep[]; uid?: number };

/** How a process ended, and what it said: `opened`, `refused`, one `done` a step, `closed`. */
export type Ending = { signal: string | null; said: [word: string, value: unknown][]; errors: string };

/** A running process; `waitFor` resolves when it has said a word. */
export type Player = { child: ChildProcess; ended: Promise<Ending>; waitFor(word: string): Promise<void> };

/** Starts a process that carries out orders. */
export function play({ uid, ...orders }: Orders): Player {
  const argument = JSON.stringify({ options: {}, steps: [], ...orders });
  const child = spawn(process.execPath, [SCRIPT, argument], { ...(uid === undefined ? {} : { uid, gid: uid }) });
  const output = { out: '', errors: '' };
  child.stdout.on('data', (piece) => {
    output.out += piece;
  });
  child.stderr.on('data', (piece) => {
    output.errors += piece;
  });
  const ended = new Promise<Ending>((resolve) => {
    child.on('close', (_, signal) => resolve({ signal, said: lines(output.out), errors: output.errors }));
  });
  const waitFor = (word: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => output.out.includes(`["${word}"`) && resolve();
      child.stdout.on('data', look);
      child.on('close', () => reject(new Error(`the process ended without "${word}": ${output.errors}`)));
      look();
    });
  return { child, ended, waitFor };
}

function lines(out: string): Ending['said'] {
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Carries the same steps out on a store of this process. */
export async function playHere(store: Store, steps: readonly PlayStep[]): Promise<void> {
  let turn: Turn | null = null;
  for (const [verb, ...values] of steps) {
    const given = values.map((value) => (value === 'TURN' ? turn : value));
    const result = await (store as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>)[verb]?.(
      ...given,
    );
    if (verb === 'unfinishedAnswer') turn = (result as UnfinishedAnswer | null)?.turn ?? null;
  }
}

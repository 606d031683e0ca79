import { dirname, resolve } from 'node:path';
import type { Store, Turn, UnfinishedAnswer } from '../../src/conversation/store.js';
import type { StoreOptions } from '../../src/storage/open.js';
import { startProgram } from '../support/program.js';

const SCRIPT = resolve(import.meta.dirname, 'child/play.mjs');

/** One verb of a store with what is given to it; `TURN` stands for the turn that was opened last. */
export type PlayStep = [verb: keyof Store | 'hold', ...values: unknown[]];

/** What a process of its own is to do with a database. */
export type Orders = {
  path: string;
  options?: StoreOptions;
  fault?: string;
  steps?: PlayStep[];
  umask?: number;
  uid?: number;
};

/** How a process ended, and what it said: `opened`, `refused`, one `done` a step, `closed`. */
export type Ending = { signal: string | null; said: [word: string, value: unknown][]; errors: string };

/** A running process; `waitFor` resolves when it has said a word. */
export type Player = { kill(): void; ended: Promise<Ending>; waitFor(word: string): Promise<void> };

/** Starts a process that carries out orders. */
export function play({ uid, ...orders }: Orders): Player {
  const args = [JSON.stringify({ options: {}, steps: [], ...orders })];
  const program = startProgram({ bin: SCRIPT, folder: dirname(SCRIPT), args, ...(uid !== undefined && { uid }) });
  return {
    kill: () => program.signal('SIGKILL'),
    ended: program.ended.then(({ signal, out, errors }) => ({ signal, said: lines(out), errors })),
    waitFor: (word) => program.says(`["${word}"`),
  };
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

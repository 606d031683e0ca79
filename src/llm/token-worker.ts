import { parentPort } from 'node:worker_threads';
import { Tiktoken } from 'js-tiktoken/lite';
import type { Encoding } from '../conversation/model.js';
import { countSteps, type Encode } from './token-slices.js';

/** Texts to be counted, each under a number of its own. */
export type CountRequest = { encoding: Encoding; texts: readonly { id: number; text: string }[] };

/** Counts that are ready, in the order in which they became so. */
export type CountReply = readonly { id: number; tokens: number }[];

/** Code units of one text that are counted before the next text has its turn: some 50 ms of the costliest script. */
const TURN = 1_000;

type Task = { id: number; steps: Generator<number, number, void> };

const vocabularies = new Map<Encoding, Promise<Encode>>();
const queue: Task[] = [];
let busy = false;

parentPort?.on('message', async ({ encoding, texts }: CountRequest) => {
  const encode = await vocabulary(encoding);
  for (const { id, text } of texts) queue.push({ id, steps: countSteps(text, encode) });
  if (!busy && queue.length > 0) {
    busy = true;
    setImmediate(serve);
  }
});

/** Spends one turn's code units on the texts in front, sends what is ready, and lets new requests come in. */
function serve(): void {
  const ready: { id: number; tokens: number }[] = [];
  for (let spent = 0; spent < TURN; ) {
    const task = queue.shift();
    if (task === undefined) break;
    const { units, tokens } = advance(task, TURN - spent);
    spent += units;
    if (tokens === null) queue.push(task);
    else ready.push({ id: task.id, tokens });
  }
  if (ready.length > 0) parentPort?.postMessage(ready satisfies CountReply);
  busy = queue.length > 0;
  if (busy) setImmediate(serve);
}

/** Counts on, by at most about `limit` code units; `tokens` is the count once the text is done. */
function advance(task: Task, limit: number): { units: number; tokens: number | null } {
  let units = 1;
  while (units <= limit) {
    const step = task.steps.next();
    if (step.done) return { units, tokens: step.value };
    units += step.value;
  }
  return { units, tokens: null };
}

function vocabulary(encoding: Encoding): Promise<Encode> {
  const known = vocabularies.get(encoding);
  if (known !== undefined) return known;
  const loading = load(encoding);
  vocabularies.set(encoding, loading);
  return loading;
}

async function load(encoding: Encoding): Promise<Encode> {
  const ranks =
    encoding === 'o200k_base'
      ? await import('js-tiktoken/ranks/o200k_base')
      : await import('js-tiktoken/ranks/cl100k_base');
  const tiktoken = new Tiktoken(ranks.default);
  return (text) => tiktoken.encode(text, [], []).length;
}

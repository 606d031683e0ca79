import { parentPort } from 'node:worker_threads';
import { Tiktoken } from 'js-tiktoken/lite';
import type { Encoding } from '../conversation/model.js';
import { countTokensInSteps, type Encode } from './token-segments.js';

/** Texts to count, each under an id that its reply carries. */
export type CountRequest = { encoding: Encoding; texts: readonly { id: number; text: string }[] };

/** Finished counts, in the order in which they were finished. */
export type CountReply = readonly { id: number; tokens: number }[];

/** Code units counted before new requests are read and the next text has its turn: 50 ms of the costliest script. */
const SLICE = 1_000;

type Task = { id: number; steps: Generator<number, number, void> };

const vocabularies = new Map<Encoding, Promise<Encode>>();
const queue: Task[] = [];
let isRunning = false;

parentPort?.on('message', async ({ encoding, texts }: CountRequest) => {
  const encode = await vocabularyOf(encoding);
  for (const { id, text } of texts) queue.push({ id, steps: countTokensInSteps(text, encode) });
  if (!isRunning && queue.length > 0) {
    isRunning = true;
    setImmediate(runSlice);
  }
});

/** Counts one slice of the queue, round-robin, replies what is finished, and lets new requests come in. */
function runSlice(): void {
  const finished: { id: number; tokens: number }[] = [];
  for (let spent = 0; spent < SLICE; ) {
    const task = queue.shift();
    if (task === undefined) break;
    const { units, tokens } = advance(task, SLICE - spent);
    spent += units;
    if (tokens === null) queue.push(task);
    else finished.push({ id: task.id, tokens });
  }
  if (finished.length > 0) parentPort?.postMessage(finished satisfies CountReply);
  isRunning = queue.length > 0;
  if (isRunning) setImmediate(runSlice);
}

/** Continues a count by about `limit` code units at most; `tokens` is null until the text is finished. */
function advance(task: Task, limit: number): { units: number; tokens: number | null } {
  let units = 1;
  while (units <= limit) {
    const step = task.steps.next();
    if (step.done) return { units, tokens: step.value };
    units += step.value;
  }
  return { units, tokens: null };
}

function vocabularyOf(encoding: Encoding): Promise<Encode> {
  const vocabulary = vocabularies.get(encoding) ?? loadVocabulary(encoding);
  vocabularies.set(encoding, vocabulary);
  return vocabulary;
}

async function loadVocabulary(encoding: Encoding): Promise<Encode> {
  const ranks =
    encoding === 'o200k_base'
      ? await import('js-tiktoken/ranks/o200k_base')
      : await import('js-tiktoken/ranks/cl100k_base');
  const tiktoken = new Tiktoken(ranks.default);
  return (text) => tiktoken.encode(text, [], []).length;
}

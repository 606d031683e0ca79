import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Encoding, TokenCounter } from '../conversation/model.js';
import { boundTokens } from './token-slices.js';
import type { CountReply, CountRequest } from './token-worker.js';

/** What a counting thread tells its owner. */
export type ThreadListener = {
  counted(counts: CountReply): void;
  /** The thread died, or could not be started; nothing that was posted to it will be counted. */
  lost(): void;
};

/** One worker thread that is started when it is needed, and again after it died. */
export interface TokenThread {
  /** Posts a request; `urgent` keeps the process alive until `rest` is called. Never throws. */
  post(request: CountRequest, urgent: boolean): void;
  /** Lets the process end again. */
  rest(): void;
  /** Ends the thread. */
  stop(): Promise<void>;
}

/** Starts the worker that holds the vocabularies; what it might print is swallowed, and it sees no environment. */
export function spawnTokenWorker(): Worker {
  const file = createRequire(import.meta.url).resolve('#token-worker');
  return new Worker(file, { env: {}, execArgv: [], stdout: true, stderr: true });
}

/** Makes a thread that is not running yet. */
export function createTokenThread(spawn: () => Worker, listener: ThreadListener): TokenThread {
  let worker: Worker | null = null;

  function start(): Worker {
    const started = spawn();
    const died = () => {
      if (worker !== started) return;
      worker = null;
      listener.lost();
    };
    started.on('message', (counts: CountReply) => listener.counted(counts));
    started.once('error', died);
    started.once('exit', died);
    // Only now: a listener for messages makes the worker count again.
    started.unref();
    return started;
  }

  return {
    post(request, urgent) {
      try {
        worker ??= start();
        if (urgent) worker.ref();
        worker.postMessage(request);
      } catch {
        queueMicrotask(listener.lost);
      }
    },
    rest() {
      worker?.unref();
    },
    async stop() {
      const ending = worker;
      worker = null;
      await ending?.terminate();
    },
  };
}

/** A counter whose vocabularies can be loaded ahead of the first count. */
export interface ThreadedTokenCounter extends TokenCounter {
  /** Starts the worker and has it load a vocabulary; returns at once and does not keep the process alive. */
  start(encoding: Encoding): void;
}

/** How many workers a text may be handed to, one after the other. */
const ATTEMPTS = 2;

type Waiting = {
  text: string;
  encoding: Encoding;
  attempts: number;
  resolve: (tokens: number) => void;
  reject: (error: Error) => void;
};

/**
 * Counts tokens in one worker thread, which is started at the first use and loads only the vocabularies asked for, so
 * that neither start-up nor a hostile text blocks the event loop. The texts of one tick travel together. The process
 * stays alive for waiting counts, not for the idle worker. A text whose worker died twice is given its upper bound, one
 * token a UTF-8 byte, so that no message is left without a count.
 */
export function createTokenCounter(spawn: () => Worker = spawnTokenWorker): ThreadedTokenCounter {
  const waiting = new Map<number, Waiting>();
  const unsent = new Set<number>();
  const thread = createTokenThread(spawn, {
    counted: (counts) => {
      settle(waiting, counts);
      if (waiting.size === 0) thread.rest();
    },
    lost: () => {
      settle(waiting, hopeless(waiting));
      for (const id of waiting.keys()) schedule(id);
    },
  });
  let lastId = 0;
  let closed = false;

  function schedule(id: number): void {
    if (unsent.size === 0) queueMicrotask(send);
    unsent.add(id);
  }

  function send(): void {
    for (const [encoding, texts] of takeUnsent(waiting, unsent)) thread.post({ encoding, texts }, true);
  }

  function countOne(text: string, encoding: Encoding): Promise<number> {
    return new Promise((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, { text, encoding, attempts: 0, resolve, reject });
      schedule(lastId);
    });
  }

  return {
    start(encoding) {
      if (!closed) thread.post({ encoding, texts: [] }, false);
    },
    async count(texts, encoding) {
      if (closed) throw closedError();
      return await Promise.all(texts.map((text) => countOne(text, encoding)));
    },
    async close() {
      closed = true;
      for (const { reject } of waiting.values()) reject(closedError());
      waiting.clear();
      await thread.stop();
    },
  };
}

function settle(waiting: Map<number, Waiting>, counts: CountReply): void {
  for (const { id, tokens } of counts) {
    waiting.get(id)?.resolve(tokens);
    waiting.delete(id);
  }
}

function hopeless(waiting: ReadonlyMap<number, Waiting>): CountReply {
  return [...waiting]
    .filter(([, { attempts }]) => attempts >= ATTEMPTS)
    .map(([id, { text }]) => ({ id, tokens: boundTokens(text) }));
}

function takeUnsent(waiting: ReadonlyMap<number, Waiting>, unsent: Set<number>) {
  const requests = new Map<Encoding, { id: number; text: string }[]>();
  for (const id of unsent) {
    const entry = waiting.get(id);
    if (entry === undefined) continue;
    entry.attempts += 1;
    const texts = requests.get(entry.encoding) ?? [];
    texts.push({ id, text: entry.text });
    requests.set(entry.encoding, texts);
  }
  unsent.clear();
  return requests;
}

function closedError(): Error {
  return new Error('The token counter is closed.');
}

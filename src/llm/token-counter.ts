import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Encoding, TokenCounter } from '../conversation/model.js';
import { tokenUpperBound } from './token-segments.js';
import type { CountReply, CountRequest } from './token-worker.js';

/** A counter that can load a vocabulary ahead of the first count. */
export interface ThreadedTokenCounter extends TokenCounter {
  /** Starts the worker and has it load a vocabulary; returns at once and does not keep the process alive. */
  start(encoding: Encoding): void;
}

/** How many workers a text is sent to, one after the other, before it is given its upper bound. */
const MAX_ATTEMPTS = 2;

type PendingCount = {
  text: string;
  encoding: Encoding;
  attempts: number;
  resolve: (tokens: number) => void;
  reject: (error: Error) => void;
};

/**
 * Counts tokens in one worker thread, which is started at the first use and loads only the vocabularies asked for, so
 * that neither start-up nor a hostile text blocks the event loop. The texts of one tick are sent in one message. The
 * process stays alive for pending counts, not for the idle worker. A text whose worker died twice is given its upper
 * bound, one token a UTF-8 byte, so that no message is left without a count.
 */
export function createTokenCounter(spawn: () => Worker = spawnTokenWorker): ThreadedTokenCounter {
  const pending = new Map<number, PendingCount>();
  const unsent = new Set<number>();
  const thread = createWorkerThread(spawn, {
    counted: (counts) => {
      settle(pending, counts);
      if (pending.size === 0) thread.unref();
    },
    died: () => {
      settle(pending, boundsOfExhausted(pending));
      for (const id of pending.keys()) schedule(id);
    },
  });
  let lastId = 0;
  let closed = false;

  function schedule(id: number): void {
    if (unsent.size === 0) queueMicrotask(send);
    unsent.add(id);
  }

  function send(): void {
    for (const [encoding, texts] of takeUnsent(pending, unsent)) thread.post({ encoding, texts });
  }

  function countOne(text: string, encoding: Encoding): Promise<number> {
    return new Promise((resolve, reject) => {
      lastId += 1;
      pending.set(lastId, { text, encoding, attempts: 0, resolve, reject });
      schedule(lastId);
    });
  }

  return {
    start(encoding) {
      if (!closed) thread.post({ encoding, texts: [] });
      if (pending.size === 0) thread.unref();
    },
    async count(texts, encoding) {
      if (closed) throw closedError();
      return await Promise.all(texts.map((text) => countOne(text, encoding)));
    },
    async close() {
      closed = true;
      for (const { reject } of pending.values()) reject(closedError());
      pending.clear();
      await thread.stop();
    },
  };
}

function settle(pending: Map<number, PendingCount>, counts: CountReply): void {
  for (const { id, tokens } of counts) {
    pending.get(id)?.resolve(tokens);
    pending.delete(id);
  }
}

/** Upper bounds for the texts that have used up their attempts. */
function boundsOfExhausted(pending: ReadonlyMap<number, PendingCount>): CountReply {
  return [...pending]
    .filter(([, { attempts }]) => attempts >= MAX_ATTEMPTS)
    .map(([id, { text }]) => ({ id, tokens: tokenUpperBound(text) }));
}

function takeUnsent(pending: ReadonlyMap<number, PendingCount>, unsent: Set<number>) {
  const requests = new Map<Encoding, { id: number; text: string }[]>();
  for (const id of unsent) {
    const entry = pending.get(id);
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

type WorkerListener = {
  counted(counts: CountReply): void;
  /** The worker died, or could not be started; nothing that was posted to it will be counted. */
  died(): void;
};

/** One worker that is started when it is needed, and again after it died. */
type WorkerThread = {
  /** Posts a request and keeps the process alive until `unref`. Never throws. */
  post(request: CountRequest): void;
  /** Lets the process end. */
  unref(): void;
  stop(): Promise<void>;
};

function createWorkerThread(spawn: () => Worker, listener: WorkerListener): WorkerThread {
  let worker: Worker | null = null;

  function start(): Worker {
    const started = spawn();
    const died = () => {
      if (worker !== started) return;
      worker = null;
      listener.died();
    };
    started.on('message', (counts: CountReply) => listener.counted(counts));
    started.once('error', died);
    started.once('exit', died);
    return started;
  }

  return {
    post(request) {
      try {
        worker ??= start();
        worker.ref();
        worker.postMessage(request);
      } catch {
        queueMicrotask(listener.died);
      }
    },
    unref() {
      worker?.unref();
    },
    async stop() {
      const stopping = worker;
      worker = null;
      await stopping?.terminate();
    },
  };
}

/** Starts the worker that holds the vocabularies; what it might print is swallowed, and it sees no environment. */
function spawnTokenWorker(): Worker {
  const file = createRequire(import.meta.url).resolve('#token-worker');
  return new Worker(file, { env: {}, execArgv: [], stdout: true, stderr: true });
}

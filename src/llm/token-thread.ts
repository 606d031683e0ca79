import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
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

import { StorageError } from '../../conversation/errors.js';
import { faultPoint } from '../../fault.js';
import { type Client, isBusy, isMediumFailure, toStorageError } from './connection.js';

/** Empties the write-ahead log after text was erased, since old pages stay readable in it otherwise. */
type WalCleaner = { request(): void; clean(): void };

/** A cleaner that waits for no reader: what a backup holds back is done with a later write. */
function createWalCleaner(client: Client): WalCleaner {
  let due = false;
  return {
    request() {
      due = true;
    },
    clean() {
      if (!due) return;
      const timeout = client.pragma('busy_timeout', { simple: true });
      client.pragma('busy_timeout = 0');
      try {
        due = client.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0;
      } catch {
        // The write itself is durable; the log is emptied with the next one.
      } finally {
        client.pragma(`busy_timeout = ${timeout}`);
      }
    },
  };
}

/** What a write does; its name marks its fault points, `erases` tells, once it has run, that text must leave the log file as well. */
export type Write<T> = { name: string; erases?: boolean | (() => boolean); run: () => T };

/** Groups writes: those queued in one turn of the event loop share one transaction and one flush to the disk. */
type WriteQueue = {
  /** Resolves when the write is durable. @throws {StorageError} when it failed; nothing of it is kept then. */
  add<T>(write: Write<T>): Promise<T>;
  /** Carries out what is queued, then refuses further writes. */
  close(): void;
};

/** A foreign program that holds the file is waited for again this often, and this long, before writes are refused. */
const BUSY_TRIES = 30;
const BUSY_PAUSE_MS = 100;
/** Waiting inside SQLite holds the event loop. */
const BUSY_HELD_MS = 50;

type Job = { write: Write<unknown>; resolve: (value: unknown) => void; reject: (error: unknown) => void };
type Outcome = { job: Job; value: unknown } | { job: Job; error: unknown };

/** Makes the queue of a connection; nothing else may write through that connection. */
export function createWriteQueue(client: Client): WriteQueue {
  const patience = Number(client.pragma('busy_timeout', { simple: true }));
  client.pragma(`busy_timeout = ${Math.min(patience, BUSY_HELD_MS)}`);
  /** Inside a transaction the driver makes a savepoint of it. */
  const nested = client.transaction((run: () => unknown) => run());
  const runAll = client.transaction((jobs: readonly Job[]) => {
    const outcomes = jobs.map((job) => (jobs.length > 1 ? attempt(job) : { job, value: job.write.run() }));
    for (const name of namesOf(jobs)) faultPoint(`${name}:before-commit`);
    return outcomes;
  });
  const cleaner = createWalCleaner(client);
  let waiting: Job[] = [];
  let busy = 0;
  let closed = false;

  /** One failed write leaves the others standing, unless the medium itself failed. */
  function attempt(job: Job): Outcome {
    try {
      return { job, value: nested(job.write.run) };
    } catch (error) {
      if (isMediumFailure(error) || !client.inTransaction) throw error;
      return { job, error };
    }
  }

  function flush(): void {
    const jobs = waiting;
    waiting = [];
    if (jobs.length === 0) return;
    try {
      // The write lock is taken at once, so that what a write reads is never older than what it writes.
      const outcomes = runAll.immediate(jobs);
      for (const name of namesOf(jobs)) faultPoint(`${name}:committed`);
      busy = 0;
      if (jobs.some(({ write: { erases } }) => (typeof erases === 'function' ? erases() : erases))) cleaner.request();
      cleaner.clean();
      for (const outcome of outcomes) settle(outcome);
    } catch (error) {
      if (isBusy(error) && busy < BUSY_TRIES && !closed) retry(jobs);
      else for (const job of jobs) job.reject(toStorageError(error));
    }
  }

  function retry(jobs: Job[]): void {
    busy += 1;
    waiting = jobs;
    setTimeout(flush, BUSY_PAUSE_MS);
  }

  return {
    add<T>(write: Write<T>): Promise<T> {
      if (closed) return Promise.reject(closedError());
      return new Promise<T>((resolve, reject) => {
        waiting.push({ write, resolve: (value) => resolve(value as T), reject });
        if (waiting.length === 1) setImmediate(flush);
      });
    },
    close() {
      closed = true;
      flush();
    },
  };
}

/** The refusal of a store that was closed. */
export function closedError(): StorageError {
  return new StorageError('storage', 'The store is closed; open it again.');
}

function settle(outcome: Outcome): void {
  if ('error' in outcome) outcome.job.reject(toStorageError(outcome.error));
  else outcome.job.resolve(outcome.value);
}

function namesOf(jobs: readonly Job[]): Set<string> {
  return new Set(jobs.map(({ write }) => write.name));
}

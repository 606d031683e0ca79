import { StorageError } from '../../conversation/errors.js';
import { faultPoint } from '../../fault.js';
import { type Client, isBusy, isDatabaseFailure, toStorageError } from './connection.js';

/** How the verbs of a store reach its connection. */
export type StoreAccess = {
  /** Runs a query at once, on what is committed. */
  read<T>(query: () => T): Promise<T>;
  /**
   * Queues a write; resolves when it is durable. `name` is that of its fault points. `erases`, evaluated after the commit,
   * tells whether erased text must leave the write-ahead log too.
   * @throws {StorageError} when the write failed; nothing of it is kept then.
   */
  write<T>(name: string, run: () => T, options?: { erases?: Job['erases'] }): Promise<T>;
};

/** Groups writes: those queued in one turn of the event loop share one transaction and one flush to the disk. */
type GroupCommit = Pick<StoreAccess, 'write'> & {
  /** Carries out what is queued, then refuses further writes. */
  close(): void;
};

type Job = {
  name: string;
  run: () => unknown;
  erases: boolean | (() => boolean);
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};
type Outcome = { job: Job; value: unknown } | { job: Job; error: unknown };

/** A database that another program holds is tried again this often, at this interval, before writes are refused. */
const BUSY_TRIES = 30;
const BUSY_PAUSE_MS = 100;
/** Waiting inside SQLite blocks the event loop, so a single try waits no longer than this. */
const BUSY_BLOCK_MS = 50;

/** Makes the queue of a connection; nothing else may write through that connection. */
export function createGroupCommit(client: Client): GroupCommit {
  const timeout = Number(client.pragma('busy_timeout', { simple: true }));
  client.pragma(`busy_timeout = ${Math.min(timeout, BUSY_BLOCK_MS)}`);
  const transaction = createTransaction(client);
  const emptyWal = createWalCleaner(client);
  let queued: Job[] = [];
  let busyTries = 0;
  let closed = false;

  function flush(): void {
    const jobs = queued;
    queued = [];
    if (jobs.length === 0) return;
    try {
      const outcomes = transaction(jobs);
      busyTries = 0;
      emptyWal(jobs.some(({ erases }) => (typeof erases === 'function' ? erases() : erases)));
      for (const outcome of outcomes) settle(outcome);
    } catch (error) {
      if (isBusy(error) && busyTries < BUSY_TRIES && !closed) retry(jobs);
      else for (const job of jobs) job.reject(toStorageError(error));
    }
  }

  function retry(jobs: Job[]): void {
    busyTries += 1;
    queued = jobs;
    setTimeout(flush, BUSY_PAUSE_MS);
  }

  return {
    write<T>(name: string, run: () => T, { erases = false }: { erases?: Job['erases'] } = {}): Promise<T> {
      if (closed) return Promise.reject(closedError());
      return new Promise<T>((resolve, reject) => {
        queued.push({ name, run, erases, resolve: (value) => resolve(value as T), reject });
        if (queued.length === 1) setImmediate(flush);
      });
    },
    close() {
      closed = true;
      flush();
    },
  };
}

/** Returns a function that runs jobs in one transaction; one that fails leaves the others standing. */
function createTransaction(client: Client): (jobs: readonly Job[]) => Outcome[] {
  // Within a transaction, the driver makes this one a savepoint.
  const savepoint = client.transaction((run: () => unknown) => run());

  function attempt(job: Job): Outcome {
    try {
      return { job, value: savepoint(job.run) };
    } catch (error) {
      if (isDatabaseFailure(error) || !client.inTransaction) throw error;
      return { job, error };
    }
  }

  const all = client.transaction((jobs: readonly Job[], names: ReadonlySet<string>) => {
    const outcomes = jobs.map((job) => (jobs.length === 1 ? { job, value: job.run() } : attempt(job)));
    for (const name of names) faultPoint(`${name}:before-commit`);
    return outcomes;
  });
  return (jobs) => {
    const names = new Set(jobs.map(({ name }) => name));
    // IMMEDIATE takes the write lock at once, so that nothing changes between what a write reads and what it stores.
    const outcomes = all.immediate(jobs, names);
    for (const name of names) faultPoint(`${name}:committed`);
    return outcomes;
  };
}

/**
 * Returns a function that empties the write-ahead log after an erasure, since old pages stay readable in it otherwise. It
 * waits for no reader: what a backup holds back is emptied after a later write.
 */
function createWalCleaner(client: Client): (erased: boolean) => void {
  let due = false;
  return (erased) => {
    due ||= erased;
    if (!due) return;
    const timeout = client.pragma('busy_timeout', { simple: true });
    client.pragma('busy_timeout = 0');
    try {
      due = client.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0;
    } catch {
      // The write itself is durable; the log is emptied after the next one.
    } finally {
      client.pragma(`busy_timeout = ${timeout}`);
    }
  };
}

function settle(outcome: Outcome): void {
  if ('error' in outcome) outcome.job.reject(toStorageError(outcome.error));
  else outcome.job.resolve(outcome.value);
}

/** The error of every verb of a store that was closed. */
export function closedError(): StorageError {
  return new StorageError('storage', 'The store is closed; open it again.');
}

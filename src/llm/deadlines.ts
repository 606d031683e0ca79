import { ModelError, type ModelErrorCode } from '../conversation/errors.js';

/** The limits of a call in milliseconds: until the first byte, between bytes, and in all, retries included. */
export type Deadlines = { firstByteMs: number; idleMs: number; totalMs: number };

/** Enforces the deadlines of one call. Its signal aborts the requests when a deadline passes or the caller cancels. */
export type DeadlineWatch = {
  readonly signal: AbortSignal;
  /** Starts an attempt: the first-byte deadline applies again. */
  beginAttempt(): void;
  /** Restarts the idle timer. */
  bytesReceived(): void;
  /**
   * Waits for `work`, at most until a deadline. The idle timer runs only during a `wait`, not while the caller is busy
   * with what it has received; with `idle` unbounded only the total deadline applies.
   * @throws {ModelError} 'timeout' or 'cancelled', at once, even if `work` never settles.
   */
  wait<T>(work: PromiseLike<T>, idle?: 'bounded' | 'unbounded'): Promise<T>;
  /** Lowers the idle deadline for the rest of the attempt. */
  shortenIdle(ms: number): void;
  /** The rest of the total deadline, in milliseconds. */
  remainingMs(): number;
  /** Stops the timers and aborts what still runs. */
  end(): void;
};

/** Starts the timers of a call. */
export function startDeadlines(deadlines: Deadlines, cancel: AbortSignal | undefined): DeadlineWatch {
  const controller = new AbortController();
  const startedAt = performance.now();
  const aborted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  aborted.catch(() => {});
  const onCancel = () => controller.abort(new ModelError('cancelled', 'The call was cancelled.'));
  const totalTimer = setTimeout(
    () => controller.abort(timeoutError('did not finish', deadlines.totalMs)),
    deadlines.totalMs,
  );
  cancel?.addEventListener('abort', onCancel, { once: true });
  if (cancel?.aborted === true) onCancel();

  let idleLimitMs = deadlines.firstByteMs;
  let hasBytes = false;
  let isWaiting = false;
  let idleTimer: NodeJS.Timeout | undefined;
  const restartIdleTimer = () => {
    clearTimeout(idleTimer);
    if (!isWaiting) return;
    const problem = hasBytes ? 'fell silent and sent nothing more' : 'did not begin to answer';
    idleTimer = setTimeout(() => controller.abort(timeoutError(problem, idleLimitMs)), idleLimitMs);
  };

  return {
    signal: controller.signal,
    beginAttempt: () => {
      hasBytes = false;
      idleLimitMs = deadlines.firstByteMs;
    },
    bytesReceived: () => {
      if (!hasBytes) idleLimitMs = deadlines.idleMs;
      hasBytes = true;
      restartIdleTimer();
    },
    wait: async (work, idle = 'bounded') => {
      isWaiting = idle === 'bounded';
      restartIdleTimer();
      try {
        return await Promise.race([aborted, work]);
      } finally {
        isWaiting = false;
        clearTimeout(idleTimer);
      }
    },
    shortenIdle: (ms) => {
      idleLimitMs = Math.min(idleLimitMs, ms);
    },
    remainingMs: () => deadlines.totalMs - (performance.now() - startedAt),
    end: () => {
      clearTimeout(totalTimer);
      clearTimeout(idleTimer);
      cancel?.removeEventListener('abort', onCancel);
      controller.abort(new ModelError('cancelled', 'The call has ended.'));
    },
  };
}

function timeoutError(problem: string, ms: number): ModelError {
  const limit = ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`;
  return new ModelError('timeout', `The model ${problem} within ${limit}: ask again later, or choose a faster model.`);
}

/** How many retries a call has, and the first backoff in milliseconds; each further one is twice as long. */
export type Retries = { max: number; backoffMs: number };

const TRANSIENT_FAILURES: readonly ModelErrorCode[] = ['unreachable', 'rate-limited', 'server-error', 'cut-off'];
/** Nobody waits longer than this for an answer, whatever the endpoint asks for. */
const MAX_DELAY_MS = 60_000;

/** Milliseconds to wait before the attempt after `attempt` (counted from 0), or null when there is to be none. */
export function retryDelay(error: ModelError, attempt: number, retries: Retries, remainingMs: number): number | null {
  if (attempt >= retries.max || !TRANSIENT_FAILURES.includes(error.code)) return null;
  const backoff = retries.backoffMs * 2 ** attempt * (1 + Math.random());
  const delay = Math.max(backoff, error.retryAfter ?? 0);
  return delay > MAX_DELAY_MS || delay >= remainingMs ? null : delay;
}

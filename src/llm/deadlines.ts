import { ModelError, type ModelErrorCode } from '../conversation/errors.js';

/** How long a call may take, in milliseconds: until the first byte, between bytes, and in all with every retry. */
export type Deadlines = { firstByteMs: number; idleMs: number; totalMs: number };

/** Watches over one call. Its signal aborts the call's requests when a deadline passes or the caller cancels. */
export type DeadlineWatch = {
  readonly signal: AbortSignal;
  /** A new try begins: the first byte is waited for again. */
  beginAttempt(): void;
  /** Bytes came: silence is measured anew. */
  bytesReceived(): void;
  /**
   * Waits for `work`, at most until a deadline; silence counts only while something is waited for, not while the caller
   * takes its time. Without `silence` only the total counts.
   * @throws {ModelError} 'timeout' or 'cancelled', at once, whatever becomes of `work`.
   */
  wait<T>(work: PromiseLike<T>, silence?: 'bounded' | 'unbounded'): Promise<T>;
  /** From now on silence may last at most so long. */
  shortenIdle(ms: number): void;
  /** What is left of the total, in milliseconds. */
  remainingMs(): number;
  /** Ends the watch and aborts what still runs. */
  end(): void;
};

function timeout(what: string, ms: number): ModelError {
  const limit = ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`;
  return new ModelError('timeout', `The model ${what} within ${limit}: ask again later, or choose a faster model.`);
}

/** Starts the clock of a call. */
export function startDeadlines(deadlines: Deadlines, cancel: AbortSignal | undefined): DeadlineWatch {
  const controller = new AbortController();
  const startedAt = performance.now();
  const broken = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  broken.catch(() => {});
  const onCancel = () => controller.abort(new ModelError('cancelled', 'The call was cancelled.'));
  const total = setTimeout(() => controller.abort(timeout('did not finish', deadlines.totalMs)), deadlines.totalMs);
  cancel?.addEventListener('abort', onCancel, { once: true });
  if (cancel?.aborted === true) onCancel();

  let patience = deadlines.firstByteMs;
  let begun = false;
  let waiting = false;
  let silence: NodeJS.Timeout | undefined;
  const listen = () => {
    clearTimeout(silence);
    const what = begun ? 'fell silent and sent nothing more' : 'did not begin to answer';
    if (waiting) silence = setTimeout(() => controller.abort(timeout(what, patience)), patience);
  };

  return {
    signal: controller.signal,
    beginAttempt: () => {
      begun = false;
      patience = deadlines.firstByteMs;
    },
    bytesReceived: () => {
      if (!begun) patience = deadlines.idleMs;
      begun = true;
      listen();
    },
    wait: async (work, bounds = 'bounded') => {
      waiting = bounds === 'bounded';
      listen();
      try {
        return await Promise.race([broken, work]);
      } finally {
        waiting = false;
        clearTimeout(silence);
      }
    },
    shortenIdle: (ms) => {
      patience = Math.min(patience, ms);
    },
    remainingMs: () => deadlines.totalMs - (performance.now() - startedAt),
    end: () => {
      clearTimeout(total);
      clearTimeout(silence);
      cancel?.removeEventListener('abort', onCancel);
      controller.abort(new ModelError('cancelled', 'The call has ended.'));
    },
  };
}

/** How often a call is tried again, and the first pause in milliseconds; each further pause is twice as long. */
export type Retries = { max: number; pauseMs: number };

/** What may go well the next time. */
const PASSING: readonly ModelErrorCode[] = ['unreachable', 'rate-limited', 'server-error', 'cut-off'];
/** Longer than this nobody waits for an answer, whatever the endpoint asks for. */
const LONGEST_WAIT_MS = 60_000;

/** Milliseconds to wait before the try after `attempt` (counted from 0), or null when there is to be none. */
export function pauseBefore(error: ModelError, attempt: number, retries: Retries, remainingMs: number): number | null {
  if (attempt >= retries.max || !PASSING.includes(error.code)) return null;
  const backOff = retries.pauseMs * 2 ** attempt * (1 + Math.random());
  const pause = Math.max(backOff, error.retryAfter ?? 0);
  return pause > LONGEST_WAIT_MS || pause >= remainingMs ? null : pause;
}

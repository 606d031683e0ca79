import type { ModelError, ModelErrorCode } from '../conversation/errors.js';

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

import type { Clock } from '../conversation/clock.js';
import { ModelError, type ModelErrorCode } from '../conversation/errors.js';
import type { ChatModel, Completion } from '../conversation/model.js';

/** How an endpoint stands: in use, given a rest after failures, or tried again with one call. */
export type BreakerState = { status: 'closed' | 'open' | 'trying'; failures: number; retryAt: number | null };

/** A model whose endpoint is given a rest while it keeps failing. */
export type GuardedModel = ChatModel & { breaker(): BreakerState };

/** Failures of the endpoint itself; others are the question's, or pass by waiting. */
const ENDPOINT_FAILURES: readonly ModelErrorCode[] = [
  'unreachable',
  'timeout',
  'server-error',
  'quota',
  'bad-key',
  'not-an-api',
];
const FAILURES_ALLOWED = 3;
const FIRST_REST_MS = 15_000;
const LONGEST_REST_MS = 300_000;

/**
 * Guards a model: after three failures of its endpoint in a row, calls fail at once for 15 s, then one is let through; while it
 * fails too, the rest doubles, up to five minutes. The errors of a rest carry when it ends as `retryAfter`.
 */
export function withBreaker(model: ChatModel, clock: Clock): GuardedModel {
  const state: BreakerState = { status: 'closed', failures: 0, retryAt: null };
  const fail = (error: unknown, trial: boolean) => {
    if (!(error instanceof ModelError) || !ENDPOINT_FAILURES.includes(error.code)) return;
    // Calls that began before the rest and fail in it tell nothing new; each would double the rest.
    if (state.status !== 'closed' && !trial) return;
    state.failures += 1;
    if (state.failures < FAILURES_ALLOWED) return;
    const rest = Math.min(FIRST_REST_MS * 2 ** (state.failures - FAILURES_ALLOWED), LONGEST_REST_MS);
    Object.assign(state, { status: 'open', retryAt: clock() + rest });
  };
  /** Whether this call is the one that tries an endpoint after its rest. */
  const admit = (): boolean => {
    if (state.status === 'closed') return false;
    const left = (state.retryAt ?? 0) - clock();
    if (state.status === 'trying' || left > 0) throw resting(Math.max(left, FIRST_REST_MS));
    state.status = 'trying';
    return true;
  };
  async function* guarded(...call: Parameters<ChatModel['stream']>): AsyncGenerator<string, Completion, void> {
    const trial = admit();
    try {
      const completion = yield* model.stream(...call);
      Object.assign(state, { status: 'closed', failures: 0, retryAt: null });
      return completion;
    } catch (error) {
      fail(error, trial);
      throw error;
    } finally {
      // A caller that stopped reading says nothing of the endpoint: the next call may try it.
      if (trial && state.status === 'trying') state.status = 'open';
    }
  }
  return { ...model, stream: guarded, breaker: () => ({ ...state }) };
}

function resting(retryAfter: number): ModelError {
  return new ModelError('unreachable', 'The language model keeps failing and is given a rest; ask again in a minute.', {
    retryAfter,
  });
}

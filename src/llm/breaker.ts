import type { Clock } from '../conversation/clock.js';
import { ModelError, type ModelErrorCode } from '../conversation/errors.js';
import type { Meter } from '../conversation/meter.js';
import { type ChatModel, type Completion, type TextStream, tapStream } from '../conversation/model.js';
import { SlowAnswerError } from './failure.js';

/** The state of a circuit breaker; `trying` is half-open: one probe call is under way. */
export type BreakerState = { status: 'closed' | 'open' | 'trying'; failures: number; retryAt: number | null };

/** A model behind a circuit breaker. */
export type GuardedModel = ChatModel & { breaker(): BreakerState };

/** Failures of the endpoint itself; others concern one request, or pass after a wait. */
const ENDPOINT_FAILURES: readonly ModelErrorCode[] = [
  'unreachable',
  'timeout',
  'server-error',
  'quota',
  'bad-key',
  'not-an-api',
];
/** Failures that last until somebody fixes them: an open breaker goes on reporting them. */
const PERMANENT_FAILURES: readonly ModelErrorCode[] = ['quota', 'bad-key', 'not-an-api'];
const FAILURE_THRESHOLD = 3;
const FIRST_COOLDOWN_MS = 15_000;
const MAX_COOLDOWN_MS = 300_000;
const CLOSED: BreakerState = { status: 'closed', failures: 0, retryAt: null };

/**
 * Puts a circuit breaker in front of a model: after three failures of its endpoint in a row, calls fail at once for 15
 * s, then one probe call is let through; each probe that fails doubles the cooldown, up to five minutes. A call that
 * breaks off after text has come is no failure of the endpoint. Errors of an open breaker carry the rest of the
 * cooldown as `retryAfter`, and the code of the last failure if that one is permanent.
 */
export function withBreaker(model: ChatModel, clock: Clock): GuardedModel {
  const state: BreakerState = { ...CLOSED };
  let lastFailure: ModelError | null = null;
  const reset = () => Object.assign(state, CLOSED);
  const recordFailure = (error: unknown, isProbe: boolean) => {
    if (!(error instanceof ModelError) || !ENDPOINT_FAILURES.includes(error.code)) return;
    // Calls that began before the breaker opened would each double the cooldown.
    if (state.status !== 'closed' && !isProbe) return;
    lastFailure = error;
    state.failures += 1;
    if (state.failures < FAILURE_THRESHOLD) return;
    const cooldown = Math.min(FIRST_COOLDOWN_MS * 2 ** (state.failures - FAILURE_THRESHOLD), MAX_COOLDOWN_MS);
    Object.assign(state, { status: 'open', retryAt: clock() + cooldown });
  };
  /** Returns whether the call is a probe. @throws {ModelError} while the breaker is open. */
  const admit = (): boolean => {
    if (state.status === 'closed') return false;
    const left = (state.retryAt ?? 0) - clock();
    if (state.status === 'trying' || left > 0) throw openError(lastFailure, Math.max(left, FIRST_COOLDOWN_MS));
    state.status = 'trying';
    return true;
  };
  async function* guarded(...call: Parameters<ChatModel['stream']>): TextStream {
    const isProbe = admit();
    let responded = false;
    try {
      const completion = yield* tapStream(model.stream(...call), () => {
        responded = true;
      });
      reset();
      return completion;
    } catch (error) {
      responded ||= error instanceof SlowAnswerError;
      if (!responded) recordFailure(error, isProbe);
      throw error;
    } finally {
      // A call from before the breaker opened proves nothing about the endpoint now.
      if (responded && (isProbe || state.status === 'closed')) reset();
      // A caller that stopped reading proves nothing either: the next call is the probe.
      if (isProbe && state.status === 'trying') state.status = 'open';
    }
  }
  return { ...model, stream: guarded, breaker: () => ({ ...state }) };
}

function openError(lastFailure: ModelError | null, retryAfter: number): ModelError {
  const details = { cause: lastFailure, retryAfter };
  if (lastFailure !== null && PERMANENT_FAILURES.includes(lastFailure.code)) {
    return new ModelError(lastFailure.code, lastFailure.message, details);
  }
  return new ModelError(
    'unreachable',
    'The language model keeps failing and is given a rest; ask again in a minute.',
    details,
  );
}

/** Counts a model's tokens, and times its answers to the first piece and to the end. */
export function withMetrics(model: ChatModel, meter: Meter): ChatModel {
  return {
    id: model.id,
    encoding: model.encoding,
    contextWindow: model.contextWindow,
    safety: model.safety,
    async *stream(prompt, call): TextStream {
      const startedAt = performance.now();
      const time = (part: 'first-token' | 'model') => {
        if (call.task === 'answer') meter.time(part, performance.now() - startedAt);
      };
      let isFirst = true;
      const completion = yield* tapStream(model.stream(prompt, call), () => {
        if (isFirst) time('first-token');
        isFirst = false;
      });
      time('model');
      countTokens(meter, completion);
      return completion;
    },
  };
}

function countTokens(meter: Meter, { usage }: Completion): void {
  if (usage === null) return;
  meter.count('tokens', { direction: 'input' }, usage.input);
  meter.count('tokens', { direction: 'output' }, usage.output);
}

import type { Clock } from '../conversation/clock.js';
import { ModelError, type ModelErrorCode } from '../conversation/errors.js';
import type { Meter } from '../conversation/meter.js';
import { type ChatModel, type Completion, type TextStream, tapStream } from '../conversation/model.js';
import { SlowAnswer } from './failure.js';

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
/** Failures that somebody must mend; a rest goes on telling of them, since waiting mends none. */
const LASTING: readonly ModelErrorCode[] = ['quota', 'bad-key', 'not-an-api'];
const FAILURES_ALLOWED = 3;
const FIRST_REST_MS = 15_000;
const LONGEST_REST_MS = 300_000;
const CLOSED: BreakerState = { status: 'closed', failures: 0, retryAt: null };

/**
 * Guards a model: after three failures of its endpoint in a row, calls fail at once for 15 s, then one is let through; while it
 * fails too, the rest doubles, up to five minutes. A call that breaks off while it is being answered is no failure of the
 * endpoint. The errors of a rest carry when it ends as `retryAfter`, and the reason for it if that is one that stays.
 */
export function withBreaker(model: ChatModel, clock: Clock): GuardedModel {
  const state: BreakerState = { ...CLOSED };
  let reason: ModelError | null = null;
  const close = () => Object.assign(state, CLOSED);
  const fail = (error: unknown, trial: boolean) => {
    if (!(error instanceof ModelError) || !ENDPOINT_FAILURES.includes(error.code)) return;
    // Calls that began before the rest and fail in it tell nothing new; each would double the rest.
    if (state.status !== 'closed' && !trial) return;
    reason = error;
    state.failures += 1;
    if (state.failures < FAILURES_ALLOWED) return;
    const rest = Math.min(FIRST_REST_MS * 2 ** (state.failures - FAILURES_ALLOWED), LONGEST_REST_MS);
    Object.assign(state, { status: 'open', retryAt: clock() + rest });
  };
  /** Whether this call is the one that tries an endpoint after its rest. */
  const admit = (): boolean => {
    if (state.status === 'closed') return false;
    const left = (state.retryAt ?? 0) - clock();
    if (state.status === 'trying' || left > 0) throw resting(reason, Math.max(left, FIRST_REST_MS));
    state.status = 'trying';
    return true;
  };
  async function* guarded(...call: Parameters<ChatModel['stream']>): AsyncGenerator<string, Completion, void> {
    const trial = admit();
    let answers = false;
    try {
      const completion = yield* tapStream(model.stream(...call), () => {
        answers = true;
      });
      close();
      return completion;
    } catch (error) {
      answers ||= error instanceof SlowAnswer;
      if (!answers) fail(error, trial);
      throw error;
    } finally {
      // What it told before others failed says nothing of now.
      if (answers && (trial || state.status === 'closed')) close();
      // A caller that stopped reading says nothing of the endpoint: the next call may try it.
      if (trial && state.status === 'trying') state.status = 'open';
    }
  }
  return { ...model, stream: guarded, breaker: () => ({ ...state }) };
}

function resting(reason: ModelError | null, retryAfter: number): ModelError {
  const details = { cause: reason, retryAfter };
  if (reason !== null && LASTING.includes(reason.code)) return new ModelError(reason.code, reason.message, details);
  return new ModelError(
    'unreachable',
    'The language model keeps failing and is given a rest; ask again in a minute.',
    details,
  );
}

/** The same model, its tokens counted and, for answers, the time to its first piece and to its last taken. */
export function withMetrics(model: ChatModel, meter: Meter): ChatModel {
  return {
    id: model.id,
    encoding: model.encoding,
    contextWindow: model.contextWindow,
    safety: model.safety,
    async *stream(prompt, call): TextStream {
      const began = performance.now();
      const time = (part: 'first-token' | 'model') => {
        if (call.task === 'answer') meter.time(part, performance.now() - began);
      };
      let first = true;
      const completion = yield* tapStream(model.stream(prompt, call), () => {
        if (first) time('first-token');
        first = false;
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

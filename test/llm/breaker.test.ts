import { describe, expect, it } from 'vitest';
import { ModelError, type ModelErrorCode } from '../../src/conversation/errors.js';
import { withBreaker } from '../../src/llm/breaker.js';
import { scriptedModel } from '../support/scripted-model.js';

function guarded() {
  const time = { now: 0 };
  const failure: { code: ModelErrorCode | null; pieces: string[] } = { code: 'unreachable', pieces: [] };
  const model = scriptedModel(() => (failure.code === null ? 'ok' : new ModelError(failure.code, 'down')));
  const { stream } = model;
  model.stream = async function* (...call) {
    yield* failure.pieces;
    return yield* stream(...call);
  };
  const guard = withBreaker(model, () => time.now);
  const call = async () => {
    let text = '';
    for await (const piece of guard.stream({ system: '', messages: [] }, { task: 'answer', maxTokens: 10 }))
      text += piece;
    return text;
  };
  return { time, failure, model, guard, call };
}

describe('the circuit breaker', () => {
  it('opens after three failures in a row, and says for how long', async () => {
    const { model, guard, call } = guarded();
    for (let i = 0; i < 3; i += 1) await expect(call()).rejects.toMatchObject({ retryAfter: undefined });
    await expect(call()).rejects.toMatchObject({ code: 'unreachable', retryAfter: 15_000 });
    expect(model.asked).toHaveLength(3);
    expect(guard.breaker()).toEqual({ status: 'open', failures: 3, retryAt: 15_000 });
  });

  it('probes after the cooldown, doubles it when the probe fails, closes when it succeeds', async () => {
    const { time, failure, model, guard, call } = guarded();
    for (let i = 0; i < 3; i += 1) await call().catch(() => {});
    time.now = 15_000;
    await expect(call()).rejects.toMatchObject({ retryAfter: undefined });
    expect(guard.breaker().retryAt).toBe(45_000);
    time.now = 45_000;
    failure.code = null;
    await expect(Promise.all([call(), call().catch((error) => error.retryAfter)])).resolves.toEqual(['ok', 15_000]);
    expect(guard.breaker()).toEqual({ status: 'closed', failures: 0, retryAt: null });
    expect(model.asked).toHaveLength(5);
  });

  it('does not prolong the cooldown for calls that were under way when it opened', async () => {
    const { model, guard, call } = guarded();
    await Promise.allSettled(Array.from({ length: 12 }, call));
    expect(model.asked).toHaveLength(12);
    expect(guard.breaker()).toEqual({ status: 'open', failures: 3, retryAt: 15_000 });
  });

  it.each<ModelErrorCode>(['filtered', 'context-overflow', 'cancelled', 'rejected'])(
    'does not count %s against the endpoint',
    async (code) => {
      const { failure, model, call } = guarded();
      failure.code = code;
      for (let i = 0; i < 5; i += 1) await call().catch(() => {});
      expect(model.asked).toHaveLength(5);
    },
  );

  it('does not count timeouts after text has come: the endpoint is slow, not down', async () => {
    const { failure, model, guard, call } = guarded();
    Object.assign(failure, { code: 'timeout', pieces: ['Half', ' of it'] });
    for (let i = 0; i < 5; i += 1) await expect(call()).rejects.toMatchObject({ code: 'timeout' });
    expect(model.asked).toHaveLength(5);
    expect(guard.breaker()).toEqual({ status: 'closed', failures: 0, retryAt: null });
  });

  it('starts counting anew after an answer that broke off', async () => {
    const { failure, guard, call } = guarded();
    for (let i = 0; i < 2; i += 1) await call().catch(() => {});
    Object.assign(failure, { code: 'cut-off', pieces: ['Half'] });
    await call().catch(() => {});
    Object.assign(failure, { code: 'unreachable', pieces: [] });
    await call().catch(() => {});
    expect(guard.breaker()).toEqual({ status: 'closed', failures: 1, retryAt: null });
  });

  it('closes when the probe is answered, even if the answer breaks off', async () => {
    const { time, failure, guard, call } = guarded();
    for (let i = 0; i < 3; i += 1) await call().catch(() => {});
    time.now = 15_000;
    Object.assign(failure, { code: 'timeout', pieces: ['Half'] });
    await expect(call()).rejects.toMatchObject({ code: 'timeout' });
    expect(guard.breaker()).toEqual({ status: 'closed', failures: 0, retryAt: null });
  });

  it('stays open when an answer breaks off that began before it opened', async () => {
    const { failure, guard, call } = guarded();
    Object.assign(failure, { code: 'timeout', pieces: ['Half'] });
    const early = guard.stream({ system: '', messages: [] }, { task: 'answer', maxTokens: 10 });
    await early.next();
    Object.assign(failure, { code: 'unreachable', pieces: [] });
    for (let i = 0; i < 3; i += 1) await call().catch(() => {});
    await early.next().catch(() => {});
    expect(guard.breaker()).toEqual({ status: 'open', failures: 3, retryAt: 15_000 });
  });

  it.each<ModelErrorCode>(['bad-key', 'quota', 'not-an-api'])(
    'reports a permanent failure while it is open: %s',
    async (code) => {
      const { failure, call } = guarded();
      for (let i = 0; i < 2; i += 1) await call().catch(() => {});
      failure.code = code;
      await call().catch(() => {});
      await expect(call()).rejects.toMatchObject({ code, message: 'down', retryAfter: 15_000 });
    },
  );

  it.each<ModelErrorCode>(['unreachable', 'timeout', 'server-error'])(
    'reports unreachable while it is open after %s, not an earlier permanent failure',
    async (code) => {
      const { time, failure, call } = guarded();
      failure.code = 'bad-key';
      for (let i = 0; i < 3; i += 1) await call().catch(() => {});
      time.now = 15_000;
      failure.code = code;
      await call().catch(() => {});
      await expect(call()).rejects.toMatchObject({ code: 'unreachable', retryAfter: 30_000 });
    },
  );

  it('lets the next call probe when the caller of a probe stops reading', async () => {
    const { time, failure, guard, call } = guarded();
    for (let i = 0; i < 3; i += 1) await call().catch(() => {});
    time.now = 15_000;
    failure.code = null;
    for await (const _ of guard.stream({ system: '', messages: [] }, { task: 'answer', maxTokens: 10 })) break;
    await expect(call()).resolves.toBe('ok');
  });
});

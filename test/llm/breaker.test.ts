import { describe, expect, it } from 'vitest';
import { ModelError, type ModelErrorCode } from '../../src/conversation/errors.js';
import { withBreaker } from '../../src/llm/breaker.js';
import { scriptedModel } from '../support/scripted-model.js';

function guarded() {
  const time = { now: 0 };
  const trouble: { code: ModelErrorCode | null; said: string[] } = { code: 'unreachable', said: [] };
  const model = scriptedModel(() => (trouble.code === null ? 'ok' : new ModelError(trouble.code, 'away')));
  const { stream } = model;
  model.stream = async function* (...asked) {
    yield* trouble.said;
    return yield* stream(...asked);
  };
  const guard = withBreaker(model, () => time.now);
  const call = async () => {
    let text = '';
    for await (const piece of guard.stream({ system: '', messages: [] }, { task: 'answer', maxTokens: 10 }))
      text += piece;
    return text;
  };
  return { time, trouble, model, guard, call };
}

describe('the breaker', () => {
  it('fails at once after three failures in a row, and says for how long', async () => {
    const { model, guard, call } = guarded();
    for (let i = 0; i < 3; i += 1) await expect(call()).rejects.toMatchObject({ retryAfter: undefined });
    await expect(call()).rejects.toMatchObject({ code: 'unreachable', retryAfter: 15_000 });
    expect(model.asked).toHaveLength(3);
    expect(guard.breaker()).toEqual({ status: 'open', failures: 3, retryAt: 15_000 });
  });

  it('lets one call through after the rest, doubles the rest when that fails, and closes when one succeeds', async () => {
    const { time, trouble, model, guard, call } = guarded();
    for (let i = 0; i < 3; i += 1) await call().catch(() => {});
    time.now = 15_000;
    await expect(call()).rejects.toMatchObject({ retryAfter: undefined });
    expect(guard.breaker().retryAt).toBe(45_000);
    time.now = 45_000;
    trouble.code = null;
    await expect(Promise.all([call(), call().catch((error) => error.retryAfter)])).resolves.toEqual(['ok', 15_000]);
    expect(guard.breaker()).toEqual({ status: 'closed', failures: 0, retryAt: null });
    expect(model.asked).toHaveLength(5);
  });

  it('rests no longer for the many calls that were under way when it began to', async () => {
    const { model, guard, call } = guarded();
    await Promise.allSettled(Array.from({ length: 12 }, call));
    expect(model.asked).toHaveLength(12);
    expect(guard.breaker()).toEqual({ status: 'open', failures: 3, retryAt: 15_000 });
  });

  it.each<ModelErrorCode>(['filtered', 'context-overflow', 'cancelled', 'rejected'])(
    'does not count %s against the endpoint',
    async (code) => {
      const { trouble, model, call } = guarded();
      trouble.code = code;
      for (let i = 0; i < 5; i += 1) await call().catch(() => {});
      expect(model.asked).toHaveLength(5);
    },
  );

  it('does not count calls that time out while they are answered: the endpoint is slow, not away', async () => {
    const { trouble, model, guard, call } = guarded();
    Object.assign(trouble, { code: 'timeout', said: ['Half', ' of it'] });
    for (let i = 0; i < 5; i += 1) await expect(call()).rejects.toMatchObject({ code: 'timeout' });
    expect(model.asked).toHaveLength(5);
    expect(guard.breaker()).toEqual({ status: 'closed', failures: 0, retryAt: null });
  });

  it('counts failures in a row: an answer that broke off lies between those before and after it', async () => {
    const { trouble, guard, call } = guarded();
    for (let i = 0; i < 2; i += 1) await call().catch(() => {});
    Object.assign(trouble, { code: 'cut-off', said: ['Half'] });
    await call().catch(() => {});
    Object.assign(trouble, { code: 'unreachable', said: [] });
    await call().catch(() => {});
    expect(guard.breaker()).toEqual({ status: 'closed', failures: 1, retryAt: null });
  });

  it('closes when the call that tries the endpoint is answered, even if that breaks off', async () => {
    const { time, trouble, guard, call } = guarded();
    for (let i = 0; i < 3; i += 1) await call().catch(() => {});
    time.now = 15_000;
    Object.assign(trouble, { code: 'timeout', said: ['Half'] });
    await expect(call()).rejects.toMatchObject({ code: 'timeout' });
    expect(guard.breaker()).toEqual({ status: 'closed', failures: 0, retryAt: null });
  });

  it('rests on when an answer breaks off that had begun before the rest', async () => {
    const { trouble, guard, call } = guarded();
    Object.assign(trouble, { code: 'timeout', said: ['Half'] });
    const early = guard.stream({ system: '', messages: [] }, { task: 'answer', maxTokens: 10 });
    await early.next();
    Object.assign(trouble, { code: 'unreachable', said: [] });
    for (let i = 0; i < 3; i += 1) await call().catch(() => {});
    await early.next().catch(() => {});
    expect(guard.breaker()).toEqual({ status: 'open', failures: 3, retryAt: 15_000 });
  });

  it.each<ModelErrorCode>(['bad-key', 'quota', 'not-an-api'])('says while it rests why: %s', async (code) => {
    const { trouble, call } = guarded();
    for (let i = 0; i < 2; i += 1) await call().catch(() => {});
    trouble.code = code;
    await call().catch(() => {});
    await expect(call()).rejects.toMatchObject({ code, message: 'away', retryAfter: 15_000 });
  });

  it.each<ModelErrorCode>(['unreachable', 'timeout', 'server-error'])(
    'says while it rests after %s that the model is away, not what was wrong before',
    async (code) => {
      const { time, trouble, call } = guarded();
      trouble.code = 'bad-key';
      for (let i = 0; i < 3; i += 1) await call().catch(() => {});
      time.now = 15_000;
      trouble.code = code;
      await call().catch(() => {});
      await expect(call()).rejects.toMatchObject({ code: 'unreachable', retryAfter: 30_000 });
    },
  );

  it('is not left half-way by a caller that stops reading', async () => {
    const { time, trouble, guard, call } = guarded();
    for (let i = 0; i < 3; i += 1) await call().catch(() => {});
    time.now = 15_000;
    trouble.code = null;
    for await (const _ of guard.stream({ system: '', messages: [] }, { task: 'answer', maxTokens: 10 })) break;
    await expect(call()).resolves.toBe('ok');
  });
});

import { describe, expect, it } from 'vitest';
import { ModelError, type ModelErrorCode } from '../../src/conversation/errors.js';
import { withBreaker } from '../../src/llm/breaker.js';
import { scriptedModel } from '../support/scripted-model.js';

function guarded() {
  const time = { now: 0 };
  const trouble: { code: ModelErrorCode | null } = { code: 'unreachable' };
  const model = scriptedModel(() => (trouble.code === null ? 'ok' : new ModelError(trouble.code, 'away')));
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

  it('is not left half-way by a caller that stops reading', async () => {
    const { time, trouble, guard, call } = guarded();
    for (let i = 0; i < 3; i += 1) await call().catch(() => {});
    time.now = 15_000;
    trouble.code = null;
    for await (const _ of guard.stream({ system: '', messages: [] }, { task: 'answer', maxTokens: 10 })) break;
    await expect(call()).resolves.toBe('ok');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/conversation/store.js';
import { openStore } from '../../src/storage/open.js';
import { createModelStore } from '../support/model-store.js';
import { IDS, type Run, type Step, steps } from './steps.js';

/** Everything that can be read of two sessions. */
async function everything(store: Store): Promise<unknown> {
  const read = async (sessionId: string) => [
    await store.loadHistory(sessionId, { summary: false }),
    await store.loadHistory(sessionId, { summary: true, messages: 2, tokens: 5 }),
    await store.loadSpan(sessionId, 1, 9, 4),
    await store.sessionFacts(sessionId),
    await store.reachedFrom(sessionId, { summary: false, messages: 2 }, 8),
    await store.reachedFrom(sessionId, { summary: true, turns: 1 }, 12),
    await store.findSession(sessionId),
    await store.missedSince(sessionId),
    await Promise.all(IDS.map((id) => store.deliveriesOf(sessionId, id))),
  ];
  return [await read('discord:1'), await read('discord:2'), await store.pendingSessions()];
}

/** The invariants that no order of steps may break. */
async function checkInvariants(store: Store): Promise<void> {
  for (const sessionId of ['discord:1', 'discord:2']) {
    const history = await store.loadHistory(sessionId, { summary: true });
    const watermark = history.summary?.throughSeq ?? 0;
    const seqs = history.messages.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    expect(seqs.every((seq) => seq > watermark)).toBe(true);
    expect(history.messages.every(({ state }) => state !== 'pending')).toBe(true);
    expect(history.summary?.dirty ?? false).toBe(false);
  }
}

async function runBoth(list: readonly Step[]): Promise<void> {
  const real = { store: await openStore(':memory:'), turns: [] } satisfies Run;
  const model = { store: createModelStore(), turns: [] } satisfies Run;
  for (const { name, take } of list) {
    expect([name, await take(real)]).toEqual([name, await take(model)]);
    await checkInvariants(real.store);
  }
  expect(await everything(real.store)).toEqual(await everything(model.store));
  await Promise.all([real.store.close(), model.store.close()]);
}

describe('the two stores', () => {
  it('say the same after any steps, and hold their invariants at each', async () => {
    await fc.assert(fc.asyncProperty(fc.array(steps, { minLength: 10, maxLength: 60 }), runBoth), {
      numRuns: 40,
    });
  });
});

import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/conversation/store.js';
import { openForDiagnosis } from '../../src/storage/read-only.js';
import { aMessage, mustAppend, someTalk } from '../support/conversation.js';
import { messagesIn, SESSION } from './contract/fixture.js';
import { aDatabase, aStore } from './files.js';

const LARGE = 'x'.repeat(50_000);

/** Appends large messages until the store refuses; returns how many it kept. */
async function fill(store: Store): Promise<number> {
  for (let kept = 0; kept < 100; kept += 1) {
    const failure = await store.append(aMessage({ text: LARGE })).then(
      () => null,
      (error: unknown) => error,
    );
    if (failure === null) continue;
    expect(failure).toMatchObject({
      name: 'StorageError',
      code: 'disk-full',
      message: expect.stringContaining('free'),
    });
    return kept;
  }
  throw new Error('the disk was never full');
}

describe('a full disk', () => {
  it('refuses what does not fit and keeps all that was stored', async () => {
    const path = await aDatabase();
    const store = await aStore(path, { maxPages: 120 });
    const kept = await fill(store);
    expect(kept).toBeGreaterThan(2);
    expect(await messagesIn(store)).toHaveLength(kept);
    const view = openForDiagnosis(path);
    expect(view.integrity()).toEqual([]);
    view.close();
  });

  it('rejects every write of the transaction that it ended, and keeps none of them', async () => {
    const store = await aStore(await aDatabase(), { maxPages: 120 });
    const kept = await fill(store);
    const batch = [store.append(someTalk({ text: LARGE })), store.append(someTalk({ text: LARGE }))];
    const outcomes = await Promise.allSettled([store.saveSetting(SESSION.id, 'vision', true, 1), ...batch]);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    expect(await messagesIn(store)).toHaveLength(kept);
    expect(await store.loadSettings([SESSION.id])).toEqual([]);
  });

  it('is over by itself as soon as there is room', async () => {
    const store = await aStore(await aDatabase(), { maxPages: 120 });
    await mustAppend(store, aMessage({ sessionId: 'discord:200', text: LARGE }));
    await fill(store);
    await store.forgetSession('discord:200');
    expect(await store.append(aMessage({ text: LARGE.slice(0, 30_000) }))).not.toBeNull();
  });
});

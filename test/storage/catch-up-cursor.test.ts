import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/conversation/store.js';
import { aMessage, anAnswer, aQuestion, mustAppend, someTalk, summarize } from '../support/conversation.js';
import { BOTH_STORES } from './both-stores.js';
import { pendingTurn, SESSION } from './contract/fixture.js';

describe.each(BOTH_STORES)('%s knows how far a session has heard', (_, aStore) => {
  it('from its newest message of a person; one that never held any has heard nothing', async () => {
    const store = await aStore();
    expect(await store.missedSince(SESSION.id)).toBeNull();
    expect(await store.missedSince('discord:unknown')).toBeNull();
    await mustAppend(store, aQuestion({ createdAt: 10 }));
    await store.storeAnswer(await pendingTurn(store), { ...anAnswer(), createdAt: 99 });
    expect(await store.missedSince(SESSION.id)).toBe(10);
  });

  it.each<[string, (store: Store, seq: number) => Promise<unknown>]>([
    ['its newest message is erased', (store) => store.erase(SESSION.id, ['newest'], 500)],
    ['everybody’s words are forgotten', (store) => store.forgetAuthor(SESSION.id, 'ada')],
    ['its newest turn is forgotten', (store) => store.forgetLast(SESSION.id, null)],
    ['it is forgotten', (store) => store.forgetSession(SESSION.id)],
    ['a summary takes the place of all', (store, seq) => summarize(store, seq, { dropCovered: true })],
    ['retention takes all', (store) => store.sweep(SESSION.id, { coveredUntil: 0, unreachedBelow: 99 }, 99)],
  ])('also when %s', async (_name, erase) => {
    const store = await aStore();
    await mustAppend(store, someTalk({ createdAt: 10 }));
    const { seq } = await mustAppend(store, aMessage({ platformId: 'newest', createdAt: 20, state: 'answered' }));
    await erase(store, seq);
    expect(await store.missedSince(SESSION.id)).toBe(21);
    await mustAppend(store, someTalk({ createdAt: 30 }));
    expect(await store.missedSince(SESSION.id)).toBe(30);
  });

  it('where an older message was erased as where none was', async () => {
    const store = await aStore();
    await mustAppend(store, someTalk({ platformId: 'older', createdAt: 10 }));
    await mustAppend(store, someTalk({ createdAt: 20 }));
    await store.erase(SESSION.id, ['older'], 500);
    expect(await store.missedSince(SESSION.id)).toBe(20);
  });

  describe('after an import', () => {
    const said = (platformId: string) => [aMessage({ platformId, createdAt: 10, state: 'answered' as const })];

    it('of its own messages from the newest of them', async () => {
      const store = await aStore();
      await store.importSession(SESSION.id, said('1'), [], 500);
      expect(await store.missedSince(SESSION.id)).toBe(10);
    });

    it('of messages of another session from then on, whatever becomes of them', async () => {
      const store = await aStore();
      await store.importSession(SESSION.id, said('i:discord%3A7/1'), [], 500);
      expect(await store.missedSince(SESSION.id)).toBe(501);
      await store.forgetSession(SESSION.id);
      expect(await store.missedSince(SESSION.id)).toBe(501);
      await mustAppend(store, someTalk({ createdAt: 600 }));
      expect(await store.missedSince(SESSION.id)).toBe(600);
    });

    it('of messages of another session from where it stood before', async () => {
      const store = await aStore();
      await mustAppend(store, someTalk({ createdAt: 30 }));
      await store.forgetSession(SESSION.id);
      await store.importSession(SESSION.id, said('i:discord%3A7/1'), [], 500);
      expect(await store.missedSince(SESSION.id)).toBe(31);
    });
  });

  it('until it is removed', async () => {
    const store = await aStore();
    await mustAppend(store, someTalk({ createdAt: 10 }));
    await store.removeSession(SESSION.id);
    expect(await store.missedSince(SESSION.id)).toBeNull();
    expect([await store.servers(), await store.sessionsOfServer(SESSION.serverId ?? '')]).toEqual([[], []]);
  });
});

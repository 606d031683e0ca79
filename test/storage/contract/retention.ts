import { describe, expect } from 'vitest';
import { aMessage, anId, aQuestion, mustAppend, openTurn, someTalk, summarize } from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { appendSome, messagesIn, SESSION, watermarks, withStore } from './fixture.js';

const NOTHING_YET = { coveredUntil: 0, unreachedBelow: null };

export function retentionContract(open: OpenStore): void {
  const it = withStore(open);
  const left = async (store: Parameters<typeof messagesIn>[0]) => (await messagesIn(store)).map(({ seq }) => seq);

  describe('reachedFrom', () => {
    it('is the message at which a reach ended, of those that were there at a time', async (store) => {
      const seqs = [];
      for (const createdAt of [10, 20, 30, 40, 50]) seqs.push((await mustAppend(store, aMessage({ createdAt }))).seq);
      const reached = (messages: number, at: number) => store.reachedFrom(SESSION.id, { summary: false, messages }, at);
      expect(await reached(1, 50)).toBe(seqs[3]);
      expect(await reached(1, 40)).toBe(seqs[2]);
      expect(await reached(1, 30)).toBe(seqs[1]);
    });

    it('is null when the reach saw all that was there', async (store) => {
      for (const createdAt of [10, 20, 30]) await mustAppend(store, aMessage({ createdAt }));
      const reach = { summary: false, messages: 1 };
      expect(await store.reachedFrom(SESSION.id, reach, 20)).toBeNull();
      expect(await store.reachedFrom(SESSION.id, reach, 5)).toBeNull();
      expect(await store.reachedFrom(SESSION.id, { summary: false }, 30)).toBeNull();
      expect(await store.reachedFrom('discord:unknown', reach, 30)).toBeNull();
    });

    it('does not count what waits', async (store) => {
      const [, b] = await appendSome(store, 3);
      await mustAppend(store, aQuestion());
      expect(await store.reachedFrom(SESSION.id, { summary: false, messages: 1 }, 9_999)).toBe(b);
    });

    it('does not count below the watermark of that time when the reach reads summaries', async (store) => {
      const [, b = 0] = await appendSome(store, 4);
      await summarize(store, b, { createdAt: 3_000 });
      expect(await store.reachedFrom(SESSION.id, { summary: true, messages: 1 }, 3_000)).toBeNull();
      expect(await store.reachedFrom(SESSION.id, { summary: true, messages: 1 }, 2_999)).not.toBeNull();
    });
  });

  describe('sweep', () => {
    it('deletes rows that a summary has covered since the given time, oldest first, in slices', async (store) => {
      const [a = 0, b = 0, c = 0, d = 0] = await appendSome(store, 4);
      await summarize(store, c, { createdAt: 100 });
      expect(await store.sweep(SESSION.id, { ...NOTHING_YET, coveredUntil: 99 }, 10)).toBe(0);
      const cut = { ...NOTHING_YET, coveredUntil: 100 };
      expect(await store.sweep(SESSION.id, cut, 2)).toBe(2);
      expect(await left(store)).toEqual([c, d]);
      expect((await store.sessionFacts(SESSION.id)).sweptThrough).toBe(b);
      expect(await store.sweep(SESSION.id, cut, 2)).toBe(1);
      expect(await store.sweep(SESSION.id, cut, 2)).toBe(0);
      expect(await left(store)).toEqual([d]);
      expect(a).toBeLessThan(b);
    });

    it('deletes rows below what the strategy reaches', async (store) => {
      const [, , c = 0, d = 0] = await appendSome(store, 4);
      expect(await store.sweep(SESSION.id, { ...NOTHING_YET, unreachedBelow: c }, 10)).toBe(2);
      expect(await left(store)).toEqual([c, d]);
    });

    it('keeps what waits, and what only a dirty summary covers', async (store) => {
      const first = await mustAppend(store, aMessage());
      const [b = 0] = await appendSome(store, 1);
      await summarize(store, b, { createdAt: 1 });
      await store.edit(SESSION.id, first.platformId, 'edited');
      await mustAppend(store, aQuestion());
      const talk = await mustAppend(store, someTalk());
      expect(await store.sweep(SESSION.id, { ...NOTHING_YET, coveredUntil: 9_999 }, 10)).toBe(0);
      expect(await store.sweep(SESSION.id, { ...NOTHING_YET, unreachedBelow: talk.seq }, 10)).toBe(2);
      expect((await openTurn(store, SESSION.id))?.questions).toHaveLength(2);
    });

    it('keeps an earlier summary until its rows are gone', async (store) => {
      const [, b = 0, c = 0, d = 0] = await appendSome(store, 4);
      await summarize(store, b, { createdAt: 1 });
      await summarize(store, d, { createdAt: 2 });
      await store.sweep(SESSION.id, { ...NOTHING_YET, coveredUntil: 2 }, 3);
      expect(await watermarks(store)).toEqual([b, d]);
      await store.sweep(SESSION.id, { ...NOTHING_YET, coveredUntil: 2 }, 3);
      expect(await watermarks(store)).toEqual([d]);
      expect(await store.sessionFacts(SESSION.id)).toMatchObject({ messages: 0, sweptThrough: d });
      expect(c).toBeLessThan(d);
    });

    it('raises neither epoch nor revision, so that it disturbs no fold', async (store) => {
      const [, b = 0] = await appendSome(store, 2);
      await store.sweep(SESSION.id, { ...NOTHING_YET, unreachedBelow: b }, 10);
      expect(await store.loadHistory(SESSION.id, { summary: false })).toMatchObject({ epoch: 0, revision: 0 });
    });
  });

  describe('sweepTombstones', () => {
    it('forgets erased ids after their time', async (store) => {
      const [old, young] = [anId(), anId()];
      await store.erase(SESSION.id, [old], 10);
      await store.erase(SESSION.id, [young], 11);
      await store.sweepTombstones(10);
      expect(await store.append(aMessage({ platformId: young }))).toBeNull();
      expect(await store.append(aMessage({ platformId: old }))).not.toBeNull();
    });
  });
}

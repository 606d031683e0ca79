import { describe, expect } from 'vitest';
import type { Store } from '../../../src/conversation/store.js';
import { aMessage, aSummary, mustAppend, summarize } from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { appendSome, SESSION, watermarks, withStore } from './fixture.js';

export function rewrittenSummaryContract(open: OpenStore): void {
  const it = withStore(open);

  /** A dirty summary whose rows retention has deleted, so that only rewriting can clean it. */
  async function aDirtySummary(store: Store) {
    await mustAppend(store, aMessage({ authorId: 'eve' }));
    const [b = 0] = await appendSome(store, 1);
    await summarize(store, b, { dropCovered: true });
    const { unrebuildable } = await store.forgetAuthor(SESSION.id, 'eve');
    if (unrebuildable === null) throw new Error('nothing to rewrite');
    return unrebuildable;
  }

  describe('rewriteSummary', () => {
    it('replaces the text of a dirty summary, which is clean again', async (store) => {
      const dirty = await aDirtySummary(store);
      const next = aSummary(dirty.throughSeq, { text: 'without her' });
      expect((await store.loadHistory(SESSION.id, { summary: true })).summary).toBeNull();
      expect(await store.rewriteSummary(dirty.id, next, 1)).toBe(true);
      const { summary, dirtyThrough } = await store.loadHistory(SESSION.id, { summary: true });
      expect([summary, dirtyThrough]).toEqual([{ ...next, id: dirty.id, dirty: false }, null]);
    });

    it('refuses when the epoch has moved on', async (store) => {
      const { id, throughSeq } = await aDirtySummary(store);
      await store.forgetAuthor(SESSION.id, 'nobody');
      expect(await store.rewriteSummary(id, aSummary(throughSeq), 1)).toBe(false);
      expect(await watermarks(store)).toEqual([-throughSeq]);
    });

    it('refuses when what it was rewritten from was made dirty once more', async (store) => {
      const ben = await mustAppend(store, aMessage({ authorId: 'ben' }));
      const eve = await mustAppend(store, aMessage({ authorId: 'eve' }));
      await summarize(store, eve.seq);
      await store.erase(SESSION.id, [eve.platformId], 1);
      const [dirty] = (await store.sessionFacts(SESSION.id)).summaries;
      await store.erase(SESSION.id, [ben.platformId], 2);
      expect(await store.rewriteSummary(dirty?.id ?? 0, aSummary(eve.seq, { text: 'ben said so' }), 0)).toBe(false);
      expect(await watermarks(store)).toEqual([-eve.seq]);
    });

    it('refuses a summary that is clean or gone', async (store) => {
      const [a = 0] = await appendSome(store, 1);
      await summarize(store, a);
      const [clean] = (await store.sessionFacts(SESSION.id)).summaries;
      expect(await store.rewriteSummary(clean?.id ?? 0, aSummary(a, { text: 'other' }), 0)).toBe(false);
      expect(await store.rewriteSummary(4_711, aSummary(a), 0)).toBe(false);
      expect((await store.sessionFacts(SESSION.id)).summaries).toEqual([clean]);
    });
  });

  describe('dropSummary', () => {
    it('drops it for good; the earlier one is the newest then', async (store) => {
      const [a = 0, b = 0] = await appendSome(store, 2);
      await summarize(store, a);
      await summarize(store, b);
      const summaries = (await store.sessionFacts(SESSION.id)).summaries;
      await store.dropSummary(summaries[1]?.id ?? 0);
      const history = await store.loadHistory(SESSION.id, { summary: true });
      expect([history.summary, history.messages.length]).toEqual([summaries[0], 1]);
      await store.dropSummary(4_711);
      expect(await watermarks(store)).toEqual([a]);
    });
  });
}

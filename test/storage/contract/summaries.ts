import { describe, expect } from 'vitest';
import type { SummaryCheck } from '../../../src/conversation/history.js';
import { aMessage, aQuestion, aSummary, mustAppend, summarize } from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { appendSome, messagesIn, SESSION, watermarks, withStore } from './fixture.js';

const FIRST: SummaryCheck = { epoch: 0, revision: 0, previousId: null, dropCovered: false };

export function summaryContract(open: OpenStore): void {
  const it = withStore(open);

  describe('saveSummary', () => {
    it('stores the summary, clean, and moves the watermark', async (store) => {
      const [, b = 0, c = 0] = await appendSome(store, 3);
      const next = aSummary(b);
      expect(await store.saveSummary(next, FIRST)).toBe(true);
      const { summary, messages } = await store.loadHistory(SESSION.id, { summary: true });
      expect(summary).toEqual({ ...next, id: summary?.id, dirty: false });
      expect(messages.map(({ seq }) => seq)).toEqual([c]);
    });

    it('refuses, and writes nothing, after a forget', async (store) => {
      await appendSome(store, 1);
      await store.forgetSession(SESSION.id);
      const [seq = 0] = await appendSome(store, 1);
      expect(await store.saveSummary(aSummary(seq), { ...FIRST, revision: 1 })).toBe(false);
      expect(await store.saveSummary(aSummary(seq), { ...FIRST, epoch: 1 })).toBe(false);
      expect(await watermarks(store)).toEqual([]);
      expect(await store.saveSummary(aSummary(seq), { ...FIRST, epoch: 1, revision: 1 })).toBe(true);
    });

    it('refuses after an edit and after an erasure', async (store) => {
      const a = await mustAppend(store, aMessage());
      const b = await mustAppend(store, aMessage());
      await store.edit(SESSION.id, a.platformId, 'edited');
      expect(await store.saveSummary(aSummary(b.seq), FIRST)).toBe(false);
      await store.erase(SESSION.id, [a.platformId], 1);
      expect(await store.saveSummary(aSummary(b.seq), { ...FIRST, revision: 1 })).toBe(false);
      expect(await store.saveSummary(aSummary(b.seq), { ...FIRST, revision: 2 })).toBe(true);
    });

    it('refuses when another summary was saved first', async (store) => {
      const [a = 0, b = 0] = await appendSome(store, 2);
      const both = [store.saveSummary(aSummary(a), FIRST), store.saveSummary(aSummary(b), FIRST)];
      expect(await Promise.all(both)).toEqual([true, false]);
      expect(await store.saveSummary(aSummary(b), { ...FIRST, previousId: 99 })).toBe(false);
      expect(await watermarks(store)).toEqual([a]);
    });

    it('is not disturbed by what is said meanwhile, which stays live', async (store) => {
      const [a = 0] = await appendSome(store, 1);
      const late = await mustAppend(store, aMessage());
      expect(await store.saveSummary(aSummary(a), FIRST)).toBe(true);
      expect((await store.loadHistory(SESSION.id, { summary: true })).messages).toEqual([late]);
    });

    it('refuses to cover a question that waits', async (store) => {
      const [a = 0] = await appendSome(store, 1);
      const { seq } = await mustAppend(store, aQuestion());
      expect(await store.saveSummary(aSummary(seq), FIRST)).toBe(false);
      expect(await store.saveSummary(aSummary(a), FIRST)).toBe(true);
    });

    it('never moves the watermark back', async (store) => {
      const [a = 0, b = 0] = await appendSome(store, 2);
      await summarize(store, b);
      expect(await summarize(store, a)).toBe(false);
      expect(await watermarks(store)).toEqual([b]);
    });

    it('keeps an earlier summary as long as rows lie between the two', async (store) => {
      const [a = 0, b = 0, c = 0] = await appendSome(store, 3);
      await summarize(store, a);
      await summarize(store, b);
      await summarize(store, c);
      expect(await watermarks(store)).toEqual([a, b, c]);
    });

    it('may be replaced by another one that reaches as far', async (store) => {
      const [a = 0] = await appendSome(store, 1);
      await summarize(store, a);
      await summarize(store, a, { text: 'shorter' });
      expect((await store.sessionFacts(SESSION.id)).summaries).toMatchObject([{ text: 'shorter', throughSeq: a }]);
    });

    it('takes the covered rows with it when retention is 0 days', async (store) => {
      const [a = 0, b = 0, c = 0] = await appendSome(store, 3);
      await summarize(store, a);
      expect(await summarize(store, b, { dropCovered: true })).toBe(true);
      expect((await messagesIn(store)).map(({ seq }) => seq)).toEqual([c]);
      expect(await store.sessionFacts(SESSION.id)).toMatchObject({ messages: 1, sweptThrough: b });
      expect(await watermarks(store)).toEqual([b]);
    });

    it('drops a mark that it reaches, and leaves one that it does not', async (store) => {
      const first = await mustAppend(store, aMessage());
      const [b = 0, c = 0] = await appendSome(store, 2);
      await summarize(store, b);
      await summarize(store, c);
      await store.edit(SESSION.id, first.platformId, 'edited');
      expect(await watermarks(store)).toEqual([-c]);
      await summarize(store, b);
      expect(await watermarks(store)).toEqual([b, -c]);
      expect((await store.loadHistory(SESSION.id, { summary: true })).dirtyThrough).toBe(c);
      await summarize(store, c);
      expect(await watermarks(store)).toEqual([b, c]);
    });

    it('drops a dirty summary below it even while rows lie between the two', async (store) => {
      const first = await mustAppend(store, aMessage());
      const [b = 0] = await appendSome(store, 1);
      await summarize(store, first.seq);
      await store.edit(SESSION.id, first.platformId, 'edited');
      await summarize(store, b);
      expect(await watermarks(store)).toEqual([b]);
    });

    it('cleans the text that it stores', async (store) => {
      const [a = 0] = await appendSome(store, 1);
      await summarize(store, a, { text: 'a\0\uDC00' });
      expect((await store.loadHistory(SESSION.id, { summary: true })).summary?.text).toBe('a\uFFFD');
    });
  });
}

import { describe, expect } from 'vitest';
import type { SummaryCheck } from '../../../src/conversation/history.js';
import type { Store } from '../../../src/conversation/store.js';
import { aMessage, aQuestion, aSummary, keep, summarise } from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { SESSION, stage, told } from './stage.js';

const FIRST: SummaryCheck = { epoch: 0, revision: 0, previousId: null, dropCovered: false };

/** Stores `n` settled messages and returns their numbers. */
export async function saySome(store: Store, n: number): Promise<number[]> {
  const seqs: number[] = [];
  for (let i = 0; i < n; i += 1) seqs.push((await keep(store, aMessage({ text: `said ${i}` }))).seq);
  return seqs;
}

/** The watermarks of a session's summaries, dirty ones as negative numbers. */
export async function watermarks(store: Store): Promise<number[]> {
  const { summaries } = await store.sessionFacts(SESSION.id);
  return summaries.map(({ throughSeq, dirty }) => (dirty ? -throughSeq : throughSeq));
}

export function foldingContract(open: OpenStore): void {
  const it = stage(open);

  describe('saveSummary', () => {
    it('stores the summary, clean, and moves the watermark', async (store) => {
      const [, b = 0, c = 0] = await saySome(store, 3);
      const next = aSummary(b);
      expect(await store.saveSummary(next, FIRST)).toBe(true);
      const { summary, messages } = await store.loadHistory(SESSION.id, { summary: true });
      expect(summary).toEqual({ ...next, id: summary?.id, dirty: false });
      expect(messages.map(({ seq }) => seq)).toEqual([c]);
    });

    it('refuses, and writes nothing, after a forget', async (store) => {
      await saySome(store, 1);
      await store.forgetSession(SESSION.id);
      const [seq = 0] = await saySome(store, 1);
      expect(await store.saveSummary(aSummary(seq), { ...FIRST, revision: 1 })).toBe(false);
      expect(await store.saveSummary(aSummary(seq), { ...FIRST, epoch: 1 })).toBe(false);
      expect(await watermarks(store)).toEqual([]);
      expect(await store.saveSummary(aSummary(seq), { ...FIRST, epoch: 1, revision: 1 })).toBe(true);
    });

    it('refuses after an edit and after an erasure', async (store) => {
      const a = await keep(store, aMessage());
      const b = await keep(store, aMessage());
      await store.edit(SESSION.id, a.platformId, 'edited');
      expect(await store.saveSummary(aSummary(b.seq), FIRST)).toBe(false);
      await store.erase(SESSION.id, [a.platformId], 1);
      expect(await store.saveSummary(aSummary(b.seq), { ...FIRST, revision: 1 })).toBe(false);
      expect(await store.saveSummary(aSummary(b.seq), { ...FIRST, revision: 2 })).toBe(true);
    });

    it('refuses when another summary was saved first', async (store) => {
      const [a = 0, b = 0] = await saySome(store, 2);
      const both = [store.saveSummary(aSummary(a), FIRST), store.saveSummary(aSummary(b), FIRST)];
      expect(await Promise.all(both)).toEqual([true, false]);
      expect(await store.saveSummary(aSummary(b), { ...FIRST, previousId: 99 })).toBe(false);
      expect(await watermarks(store)).toEqual([a]);
    });

    it('is not disturbed by what is said meanwhile, which stays live', async (store) => {
      const [a = 0] = await saySome(store, 1);
      const late = await keep(store, aMessage());
      expect(await store.saveSummary(aSummary(a), FIRST)).toBe(true);
      expect((await store.loadHistory(SESSION.id, { summary: true })).messages).toEqual([late]);
    });

    it('refuses to cover a question that waits', async (store) => {
      const [a = 0] = await saySome(store, 1);
      const { seq } = await keep(store, aQuestion());
      expect(await store.saveSummary(aSummary(seq), FIRST)).toBe(false);
      expect(await store.saveSummary(aSummary(a), FIRST)).toBe(true);
    });

    it('never moves the watermark back', async (store) => {
      const [a = 0, b = 0] = await saySome(store, 2);
      await summarise(store, b);
      expect(await summarise(store, a)).toBe(false);
      expect(await watermarks(store)).toEqual([b]);
    });

    it('keeps an earlier summary as long as rows lie between the two', async (store) => {
      const [a = 0, b = 0, c = 0] = await saySome(store, 3);
      await summarise(store, a);
      await summarise(store, b);
      await summarise(store, c);
      expect(await watermarks(store)).toEqual([a, b, c]);
    });

    it('may be replaced by another one that reaches as far', async (store) => {
      const [a = 0] = await saySome(store, 1);
      await summarise(store, a);
      await summarise(store, a, { text: 'shorter' });
      expect((await store.sessionFacts(SESSION.id)).summaries).toMatchObject([{ text: 'shorter', throughSeq: a }]);
    });

    it('takes the covered rows with it when retention is 0 days', async (store) => {
      const [a = 0, b = 0, c = 0] = await saySome(store, 3);
      await summarise(store, a);
      expect(await summarise(store, b, { dropCovered: true })).toBe(true);
      expect((await told(store)).map(({ seq }) => seq)).toEqual([c]);
      expect(await store.sessionFacts(SESSION.id)).toMatchObject({ messages: 1, sweptThrough: b });
      expect(await watermarks(store)).toEqual([b]);
    });

    it('drops a mark that it reaches, and leaves one that it does not', async (store) => {
      const first = await keep(store, aMessage());
      const [b = 0, c = 0] = await saySome(store, 2);
      await summarise(store, b);
      await summarise(store, c);
      await store.edit(SESSION.id, first.platformId, 'edited');
      expect(await watermarks(store)).toEqual([-c]);
      await summarise(store, b);
      expect(await watermarks(store)).toEqual([b, -c]);
      expect((await store.loadHistory(SESSION.id, { summary: true })).dirtyThrough).toBe(c);
      await summarise(store, c);
      expect(await watermarks(store)).toEqual([b, c]);
    });

    it('drops a dirty summary below it even while rows lie between the two', async (store) => {
      const first = await keep(store, aMessage());
      const [b = 0] = await saySome(store, 1);
      await summarise(store, first.seq);
      await store.edit(SESSION.id, first.platformId, 'edited');
      await summarise(store, b);
      expect(await watermarks(store)).toEqual([b]);
    });

    it('cleans the text that it stores', async (store) => {
      const [a = 0] = await saySome(store, 1);
      await summarise(store, a, { text: 'a\0\uDC00' });
      expect((await store.loadHistory(SESSION.id, { summary: true })).summary?.text).toBe('a\uFFFD');
    });
  });
}

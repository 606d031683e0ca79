import { describe, expect } from 'vitest';
import { aMessage, aQuoteOf, mustAppend, someTalk, summarize } from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { appendSome, SESSION, watermarks, withStore } from './fixture.js';

export function dirtySummaryContract(open: OpenStore): void {
  const it = withStore(open);

  describe('erasing what a summary covers', () => {
    it('replaces it and all later ones by a dirty one without text, so that none is sent', async (store) => {
      const [a = 0] = await appendSome(store, 1);
      const erased = await mustAppend(store, aMessage());
      const [c = 0] = await appendSome(store, 1);
      await summarize(store, a);
      await summarize(store, erased.seq);
      await summarize(store, c);
      expect(await store.erase(SESSION.id, [erased.platformId], 1)).toMatchObject({ dirtied: 2, unrebuildable: null });
      expect(await watermarks(store)).toEqual([a, -c]);
      expect((await store.sessionFacts(SESSION.id)).summaries.at(-1)).toMatchObject({ text: '', tokens: 0 });
      const { summary, messages, dirtyThrough } = await store.loadHistory(SESSION.id, { summary: true });
      expect([summary?.throughSeq, messages.map(({ seq }) => seq), dirtyThrough]).toEqual([a, [c], c]);
    });

    it('leaves no summary to send when it was in the first one', async (store) => {
      const erased = await mustAppend(store, aMessage());
      const [b = 0] = await appendSome(store, 1);
      await summarize(store, b);
      await store.erase(SESSION.id, [erased.platformId], 1);
      const history = await store.loadHistory(SESSION.id, { summary: true });
      expect(history).toMatchObject({ summary: null, dirtyThrough: b, complete: true });
      expect(history.messages.map(({ seq }) => seq)).toEqual([b]);
    });

    it('reaches a summary that covers only a reply which quotes it', async (store) => {
      const original = aMessage();
      const { seq } = await mustAppend(store, someTalk({ quote: aQuoteOf(original) }));
      await summarize(store, seq);
      await mustAppend(store, original);
      await store.erase(SESSION.id, [original.platformId], 1);
      expect(await watermarks(store)).toEqual([-seq]);
    });

    it('counts a summary as dirtied once', async (store) => {
      const [a, b] = [await mustAppend(store, aMessage()), await mustAppend(store, aMessage())];
      await summarize(store, b.seq);
      expect(await store.erase(SESSION.id, [a.platformId], 1)).toMatchObject({ dirtied: 1 });
      expect(await store.erase(SESSION.id, [b.platformId], 1)).toMatchObject({ dirtied: 0 });
    });

    it('names the summary that rows cannot restore, since retention has deleted some of them', async (store) => {
      const [a = 0] = await appendSome(store, 1);
      const erased = await mustAppend(store, aMessage());
      await summarize(store, erased.seq, { text: 'as it was' });
      await store.sweep(SESSION.id, { coveredUntil: 0, unreachedBelow: a + 1 }, 10);
      const { unrebuildable } = await store.erase(SESSION.id, [erased.platformId], 1);
      const [mark] = (await store.sessionFacts(SESSION.id)).summaries;
      expect(mark).toMatchObject({ throughSeq: erased.seq, dirty: true, text: '' });
      expect(unrebuildable).toEqual({ ...mark, text: 'as it was' });
      // What it told of the first erasure must not come back by way of the second.
      const again = await store.forgetAuthor(SESSION.id, 'ada');
      expect(again.unrebuildable?.text ?? '').toBe('');
    });

    it('names none when what retention has deleted came before all that it covers', async (store) => {
      const [a = 0] = await appendSome(store, 1);
      const erased = await mustAppend(store, aMessage());
      const [c = 0] = await appendSome(store, 1);
      await store.sweep(SESSION.id, { coveredUntil: 0, unreachedBelow: a + 1 }, 10);
      await summarize(store, c, { fromSeq: erased.seq });
      const receipt = await store.erase(SESSION.id, [erased.platformId], 1);
      expect(receipt).toMatchObject({ dirtied: 1, unrebuildable: null });
    });

    it('names none when a clean summary stands for all that retention has deleted', async (store) => {
      const [a = 0] = await appendSome(store, 1);
      const erased = await mustAppend(store, aMessage());
      await summarize(store, a);
      await store.sweep(SESSION.id, { coveredUntil: 9_999, unreachedBelow: null }, 10);
      await summarize(store, erased.seq);
      const receipt = await store.erase(SESSION.id, [erased.platformId], 1);
      expect(receipt).toMatchObject({ dirtied: 1, unrebuildable: null });
    });
  });
}

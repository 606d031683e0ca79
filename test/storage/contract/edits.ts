import { describe, expect } from 'vitest';
import {
  aMessage,
  aQuestion,
  aQuoteOf,
  converse,
  mustAppend,
  openTurn,
  someTalk,
  summarize,
} from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { appendSome, messagesIn, SESSION, textsIn, watermarks, withStore } from './fixture.js';

export function editContract(open: OpenStore): void {
  const it = withStore(open);
  const counted = { tokens: 5, encoding: 'o200k_base' };

  describe('edit', () => {
    it('replaces the text of a message, voids its count and raises the revision', async (store) => {
      const { platformId, seq } = await mustAppend(store, aMessage());
      await store.saveCounts([{ seq, ...counted }]);
      expect(await store.edit(SESSION.id, platformId, 'new')).toBe(true);
      expect(await messagesIn(store)).toMatchObject([{ text: 'new', tokens: null, encoding: null }]);
      expect(await store.loadHistory(SESSION.id, { summary: false })).toMatchObject({ revision: 1, epoch: 0 });
    });

    it('is false, and changes nothing, when the text is the same or nothing of it is stored', async (store) => {
      const { platformId, seq } = await mustAppend(store, aMessage({ text: 'same' }));
      await store.saveCounts([{ seq, ...counted }]);
      await summarize(store, seq);
      expect(await store.edit(SESSION.id, platformId, 'sa\0me')).toBe(false);
      expect(await store.edit(SESSION.id, '404', 'new')).toBe(false);
      expect(await store.edit('discord:200', platformId, 'new')).toBe(false);
      expect(await messagesIn(store)).toMatchObject([counted]);
      expect(await watermarks(store)).toEqual([seq]);
      expect((await store.loadHistory(SESSION.id, { summary: false })).revision).toBe(0);
    });

    it('reaches a question that waits', async (store) => {
      const { platformId } = await mustAppend(store, aQuestion());
      await store.edit(SESSION.id, platformId, 'meant otherwise');
      expect((await openTurn(store, SESSION.id))?.questions).toMatchObject([{ text: 'meant otherwise' }]);
    });

    it('leaves the answer that shares the platform id as it is', async (store) => {
      const { question } = await converse(store, {}, { text: 'answer' });
      await store.edit(SESSION.id, question.platformId, 'edited');
      expect(await textsIn(store)).toEqual(['edited', 'answer']);
    });

    it('puts one mark in the place of every summary that reaches the message, and of no other', async (store) => {
      const [a = 0] = await appendSome(store, 1);
      const edited = await mustAppend(store, aMessage());
      const [c = 0, d = 0] = await appendSome(store, 2);
      await summarize(store, a);
      await summarize(store, c);
      await summarize(store, d);
      await store.edit(SESSION.id, edited.platformId, 'edited');
      expect(await watermarks(store)).toEqual([a, -d]);
      const history = await store.loadHistory(SESSION.id, { summary: true });
      expect(history.summary).toMatchObject({ throughSeq: a });
      expect(history.dirtyThrough).toBe(d);
      expect(history.messages).toHaveLength(3);
    });

    it('leaves summaries of older talk clean', async (store) => {
      const [a = 0] = await appendSome(store, 1);
      await summarize(store, a);
      const live = await mustAppend(store, aMessage());
      await store.edit(SESSION.id, live.platformId, 'edited');
      expect(await watermarks(store)).toEqual([a]);
    });

    it('reaches what replies quote of the message, and their counts', async (store) => {
      const original = await mustAppend(store, aMessage());
      const reply = await mustAppend(store, someTalk({ quote: aQuoteOf(original) }));
      const other = await mustAppend(store, someTalk({ quote: { ...aQuoteOf(original), platformId: '7' } }));
      await store.saveCounts([reply, other].map(({ seq }) => ({ seq, ...counted })));
      await store.edit(SESSION.id, original.platformId, 'edited');
      const [, quoting, untouched] = await messagesIn(store);
      expect(quoting).toMatchObject({ quote: { text: 'edited', authorId: 'ada' }, tokens: null });
      expect(untouched).toEqual({ ...other, ...counted });
    });

    it('reaches quotes of a message that is not stored itself, and summaries over them', async (store) => {
      const quote = { platformId: '7', authorId: 'eve', authorName: 'Eve', text: 'old' };
      const { seq } = await mustAppend(store, someTalk({ quote }));
      await summarize(store, seq);
      expect(await store.edit(SESSION.id, '7', 'new')).toBe(true);
      expect(await messagesIn(store)).toMatchObject([{ quote: { ...quote, text: 'new' } }]);
      expect(await watermarks(store)).toEqual([-seq]);
    });
  });
}

import { describe, expect } from 'vitest';
import { countedTextOf } from '../../../src/conversation/message.js';
import { aMessage, anId, aQuoteOf, mustAppend, someTalk } from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { messagesIn, SESSION, textsIn, withStore } from './fixture.js';

export function messageContract(open: OpenStore): void {
  const it = withStore(open);

  describe('append', () => {
    it('gives a message back as it was stored, numbered and not yet counted', async (store) => {
      const message = aMessage({ quote: { platformId: '5', authorId: 'ben', authorName: 'Ben', text: 'earlier' } });
      const kept = await mustAppend(store, message);
      expect(kept).toEqual({ ...message, seq: kept.seq, tokens: null, encoding: null });
      expect(kept.seq).toBeGreaterThan(0);
      expect(await messagesIn(store)).toEqual([kept]);
    });

    it('numbers messages that come at once in the order in which they came', async (store) => {
      const names = Array.from({ length: 50 }, (_, i) => `m${i}`);
      const kept = await Promise.all(names.map((text) => mustAppend(store, aMessage({ text }))));
      const seqs = kept.map(({ seq }) => seq);
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
      expect(new Set(seqs).size).toBe(50);
      expect(await textsIn(store)).toEqual(names);
    });

    it('orders by arrival, never by the time that a message claims', async (store) => {
      await mustAppend(store, aMessage({ text: 'first', createdAt: 500 }));
      await mustAppend(store, aMessage({ text: 'second', createdAt: 100 }));
      expect(await textsIn(store)).toEqual(['first', 'second']);
    });

    it('stores a message once, however often and however quickly it is delivered', async (store) => {
      const message = aMessage();
      const tries = await Promise.all([store.append(message), store.append(message), store.append(message)]);
      expect(tries.filter((kept) => kept !== null)).toHaveLength(1);
      expect(await store.append({ ...message, text: 'another text' })).toBeNull();
      expect(await textsIn(store)).toEqual([message.text]);
    });

    it('stores the same platform id once a role and once a session', async (store) => {
      const message = aMessage();
      await mustAppend(store, message);
      await mustAppend(store, { ...message, role: 'assistant' });
      await mustAppend(store, { ...message, sessionId: 'discord:200' });
      expect(await messagesIn(store)).toHaveLength(2);
    });

    it('does not store a message that was erased before it came', async (store) => {
      const late = aMessage();
      await store.erase(SESSION.id, [late.platformId], 1);
      expect(await store.append(late)).toBeNull();
      expect(await store.append({ ...late, role: 'assistant' })).toBeNull();
      expect(await store.append({ ...late, sessionId: 'discord:200' })).not.toBeNull();
      expect(await messagesIn(store)).toEqual([]);
    });

    it('drops NUL and mends lone surrogates in every text', async (store) => {
      const torn = 'a\0b\uD800c';
      const quote = { platformId: '5', authorId: 'ben', authorName: torn, text: torn };
      await mustAppend(store, aMessage({ text: torn, authorName: torn, quote }));
      const [kept] = await messagesIn(store);
      expect([kept?.text, kept?.authorName, kept?.quote?.authorName, kept?.quote?.text]).toEqual(
        Array(4).fill('ab\uFFFDc'),
      );
    });

    it('keeps any other text byte for byte', async (store) => {
      const odd = [
        '',
        '  \n\t ',
        "'; DROP TABLE messages; --",
        '👩‍👩‍👧‍👦',
        '\u200b\u202e\ufeff',
        'é'.normalize('NFD'),
        '$& %s \\',
      ];
      for (const text of odd) await mustAppend(store, aMessage({ text }));
      expect(await textsIn(store)).toEqual(odd);
    });
  });

  describe('appendAll', () => {
    it('stores what is not stored yet, in order, and returns it', async (store) => {
      const [a, b, c] = [aMessage(), someTalk(), aMessage()];
      await mustAppend(store, b);
      const kept = await store.appendAll([a, b, c, a]);
      expect(kept.map(({ platformId }) => platformId)).toEqual([a.platformId, c.platformId]);
      expect(await textsIn(store)).toEqual([b.text, a.text, c.text]);
    });

    it('leaves out what was erased before it came', async (store) => {
      const [a, b] = [aMessage(), aMessage()];
      await store.erase(SESSION.id, [a.platformId], 1);
      expect(await store.appendAll([a, b])).toHaveLength(1);
      expect(await store.appendAll([])).toEqual([]);
    });
  });

  describe('saveCounts', () => {
    it('writes each count to its message, in any session, and ignores messages that are gone', async (store) => {
      const here = await mustAppend(store, aMessage());
      const there = await mustAppend(store, aMessage({ sessionId: 'discord:200' }));
      const count = { tokens: 12, encoding: 'o200k_base' };
      await store.saveCounts([
        { seq: here.seq, ...count },
        { seq: there.seq, ...count, tokens: 5 },
        { seq: 9_999, ...count },
      ]);
      expect(await messagesIn(store)).toEqual([{ ...here, ...count }]);
      expect(await messagesIn(store, 'discord:200')).toEqual([{ ...there, ...count, tokens: 5 }]);
    });

    it('leaves a message alone whose text or quote is another than was counted', async (store) => {
      const original = await mustAppend(store, aMessage());
      const reply = await mustAppend(store, aMessage({ quote: aQuoteOf(original) }));
      const plain = await mustAppend(store, aMessage());
      const counts = [original, reply, plain].map((message) => ({
        seq: message.seq,
        countedText: countedTextOf(message),
        tokens: 12,
        encoding: 'o200k_base',
      }));
      await store.edit(SESSION.id, original.platformId, 'another text');
      await store.saveCounts(counts);
      expect((await messagesIn(store)).map(({ tokens }) => tokens)).toEqual([null, null, 12]);
    });

    it('replaces an older count', async (store) => {
      const { seq } = await mustAppend(store, aMessage());
      await store.saveCounts([{ seq, tokens: 1, encoding: 'o200k_base' }]);
      await store.saveCounts([{ seq, tokens: 2, encoding: 'cl100k_base' }]);
      expect(await messagesIn(store)).toMatchObject([{ tokens: 2, encoding: 'cl100k_base' }]);
    });
  });

  describe('quotes', () => {
    it('come back as they were said, with or without the message that they quote', async (store) => {
      const original = await mustAppend(store, aMessage());
      const known = aQuoteOf(original);
      const unknown = { platformId: anId(), authorId: 'eve', authorName: '', text: '' };
      await mustAppend(store, aMessage({ quote: known }));
      await mustAppend(store, aMessage({ quote: unknown }));
      expect((await messagesIn(store)).map(({ quote }) => quote)).toEqual([null, known, unknown]);
    });
  });
}

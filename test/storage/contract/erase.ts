import { describe, expect } from 'vitest';
import {
  aMessage,
  anAnswer,
  aQuestion,
  aQuoteOf,
  converse,
  mustAppend,
  someTalk,
  summarize,
} from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { dirtySummaryContract } from './dirty-summaries.js';
import { messagesIn, NOTHING_ERASED, pendingTurn, SESSION, textsIn, withStore } from './fixture.js';

export function eraseContract(open: OpenStore): void {
  const it = withStore(open);

  describe('erase', () => {
    it('deletes messages and raises the revision, not the epoch', async (store) => {
      const [a, b] = [await mustAppend(store, someTalk()), await mustAppend(store, someTalk())];
      const kept = await mustAppend(store, someTalk());
      expect(await store.erase(SESSION.id, [a.platformId, b.platformId], 1)).toEqual({
        ...NOTHING_ERASED,
        messages: 2,
      });
      expect(await messagesIn(store)).toEqual([kept]);
      expect(await store.loadHistory(SESSION.id, { summary: false })).toMatchObject({ revision: 1, epoch: 0 });
    });

    it('goes through a long talk once, however many ids of it are given', async (store) => {
      const talk = Array.from({ length: 20_000 }, (_, i) => aMessage({ text: `${i}` }));
      await store.appendAll(talk);
      const ids = talk.map(({ platformId }) => platformId);
      expect(await store.erase(SESSION.id, ids, 1)).toEqual({ ...NOTHING_ERASED, messages: 20_000 });
      expect(await messagesIn(store)).toEqual([]);
    });

    it('changes nothing for an unknown id but to remember it', async (store) => {
      expect(await store.erase(SESSION.id, ['404'], 1)).toEqual(NOTHING_ERASED);
      expect(await store.erase(SESSION.id, [], 1)).toEqual(NOTHING_ERASED);
      expect((await store.loadHistory(SESSION.id, { summary: false })).revision).toBe(0);
      expect(await store.append(aMessage({ platformId: '404' }))).toBeNull();
    });

    it('lets an erased message not come back when it is delivered again', async (store) => {
      const message = aMessage();
      await mustAppend(store, message);
      await store.erase(SESSION.id, [message.platformId], 1);
      expect(await store.append(message)).toBeNull();
      expect(await store.appendAll([message])).toEqual([]);
    });

    it('deletes the answer with the last question of its turn', async (store) => {
      const { question } = await converse(store);
      const next = await converse(store);
      expect(await store.erase(SESSION.id, [question.platformId], 1)).toEqual({
        ...NOTHING_ERASED,
        messages: 1,
        answers: 1,
      });
      expect(await messagesIn(store)).toEqual([next.question, next.answer]);
    });

    it('keeps the answer as long as a question of its turn is left', async (store) => {
      const first = await mustAppend(store, aQuestion({ text: 'first' }));
      const { question } = await converse(store, { text: 'second' }, { text: 'to both' });
      expect(await store.erase(SESSION.id, [question.platformId], 1)).toMatchObject({ messages: 1, answers: 0 });
      expect(await textsIn(store)).toEqual(['first', 'to both']);
      expect(await store.erase(SESSION.id, [question.platformId], 2)).toEqual(NOTHING_ERASED);
      expect(await store.erase(SESSION.id, [first.platformId], 3)).toMatchObject({ messages: 1, answers: 1 });
      expect(await textsIn(store)).toEqual([]);
    });

    it('does not take talk or a failed question for a question that the answer still belongs to', async (store) => {
      await mustAppend(store, aQuestion({ text: 'failed' }));
      await store.failTurn(await pendingTurn(store));
      await mustAppend(store, someTalk({ text: 'heard' }));
      const { question } = await converse(store);
      expect(await store.erase(SESSION.id, [question.platformId], 1)).toMatchObject({ messages: 1, answers: 1 });
      expect(await textsIn(store)).toEqual(['failed', 'heard']);
    });

    it('keeps the answer when only talk of its turn is erased', async (store) => {
      const talk = await mustAppend(store, someTalk());
      const { question, answer } = await converse(store);
      expect(await store.erase(SESSION.id, [talk.platformId], 1)).toMatchObject({ messages: 1, answers: 0 });
      expect(await messagesIn(store)).toEqual([question, answer]);
    });

    it('deletes an answer that is being delivered with its question', async (store) => {
      const { platformId } = await mustAppend(store, aQuestion());
      const turn = await pendingTurn(store);
      await store.storeAnswer(turn, anAnswer());
      expect(await store.erase(SESSION.id, [platformId], 1)).toMatchObject({ messages: 1, answers: 1 });
      expect(await store.settleTurn(turn)).toBe(false);
      expect((await store.sessionFacts(SESSION.id)).messages).toBe(0);
    });

    it('deletes an answer whose own id is named', async (store) => {
      await mustAppend(store, aMessage({ text: 'asked' }));
      const own = await mustAppend(store, aMessage({ role: 'assistant' }));
      expect(await store.erase(SESSION.id, [own.platformId], 1)).toMatchObject({ messages: 0, answers: 1 });
      expect(await textsIn(store)).toEqual(['asked']);
    });

    it('takes quotes of the message back, and voids their counts', async (store) => {
      const original = await mustAppend(store, aMessage());
      const { seq } = await mustAppend(store, someTalk({ quote: aQuoteOf(original), text: 'yes' }));
      await store.saveCounts([{ seq, tokens: 5, encoding: 'o200k_base' }]);
      await store.erase(SESSION.id, [original.platformId], 1);
      expect(await messagesIn(store)).toMatchObject([{ text: 'yes', quote: null, tokens: null, encoding: null }]);
    });

    it('takes quotes back of a message that was never stored itself', async (store) => {
      const quote = { platformId: '7', authorId: 'eve', authorName: 'Eve', text: 'secret' };
      const { seq } = await mustAppend(store, someTalk({ quote }));
      await summarize(store, seq);
      expect(await store.erase(SESSION.id, ['7'], 1)).toEqual({ ...NOTHING_ERASED, dirtied: 1 });
      expect(await messagesIn(store)).toMatchObject([{ quote: null }]);
    });
  });

  dirtySummaryContract(open);
}

import { describe, expect } from 'vitest';
import {
  aMessage,
  anAnswer,
  aQuestion,
  aQuoteOf,
  converse,
  keep,
  someTalk,
  summarise,
} from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { watermarks } from './folding.js';
import { mustOpen, SESSION, stage, texts, told } from './stage.js';

const NOTHING = { messages: 0, answers: 0, summaries: 0, dirtied: 0, unrebuildable: null, names: [] as string[] };

export function forgetLastContract(open: OpenStore): void {
  const it = stage(open);

  describe('forgetLast', () => {
    it('erases the newest turn with its answer and raises the epoch', async (store) => {
      await converse(store, { text: 'older' }, { text: 'older answer' });
      await converse(store);
      expect(await store.forgetLast(SESSION.id, null)).toEqual({ ...NOTHING, messages: 1, answers: 1 });
      expect(await texts(store)).toEqual(['older', 'older answer']);
      expect(await store.loadHistory(SESSION.id, { summary: false })).toMatchObject({ epoch: 1, revision: 1 });
    });

    it('leaves talk before and after the turn, and what failed before it', async (store) => {
      await keep(store, aQuestion({ text: 'failed' }));
      await store.failTurn(await mustOpen(store));
      await keep(store, someTalk({ text: 'before' }));
      await keep(store, aQuestion());
      await keep(store, someTalk({ text: 'within' }));
      await converse(store);
      await keep(store, someTalk({ text: 'after' }));
      expect(await store.forgetLast(SESSION.id, null)).toMatchObject({ messages: 3, answers: 1 });
      expect(await texts(store)).toEqual(['failed', 'before', 'after']);
    });

    it("erases only the person's own part of the turn, with the answer", async (store) => {
      await keep(store, aQuestion({ authorId: 'ben', text: 'ben asks' }));
      await converse(store, { authorId: 'ada' });
      expect(await store.forgetLast(SESSION.id, 'ada')).toMatchObject({ messages: 1, answers: 1 });
      expect(await texts(store)).toEqual(['ben asks']);
    });

    it("does nothing, and stops nothing, when the newest turn is other people's", async (store) => {
      await converse(store, { authorId: 'ada' });
      await converse(store, { authorId: 'ben' });
      expect(await store.forgetLast(SESSION.id, 'ada')).toEqual(NOTHING);
      expect(await store.sessionFacts(SESSION.id)).toMatchObject({ messages: 4, epoch: 0 });
    });

    it('takes a waiting question back, so that it is not answered', async (store) => {
      await converse(store, { text: 'older' }, { text: 'older answer' });
      await keep(store, aQuestion());
      const turn = await mustOpen(store);
      expect(await store.forgetLast(SESSION.id, 'ada')).toMatchObject({ messages: 1, answers: 0 });
      expect(await store.storeAnswer(turn, anAnswer())).toBeNull();
      expect(await texts(store)).toEqual(['older', 'older answer']);
    });

    it('takes an answer back that is being delivered', async (store) => {
      await keep(store, aQuestion());
      const turn = await mustOpen(store);
      await store.storeAnswer(turn, anAnswer());
      expect(await store.forgetLast(SESSION.id, 'ada')).toMatchObject({ messages: 1, answers: 1 });
      expect(await store.settleTurn(turn)).toBe(false);
    });

    it('erases the newest failed question when that came last', async (store) => {
      await converse(store, { text: 'answered' }, { text: 'answer' });
      for (const text of ['failed once', 'failed twice']) {
        await keep(store, aQuestion({ text }));
        await store.failTurn(await mustOpen(store));
      }
      expect(await store.forgetLast(SESSION.id, null)).toMatchObject({ messages: 1, answers: 0 });
      expect(await texts(store)).toEqual(['answered', 'answer', 'failed once']);
    });

    it('finds nothing where nothing was said, or only talk', async (store) => {
      expect(await store.forgetLast(SESSION.id, null)).toEqual(NOTHING);
      await keep(store, someTalk());
      expect(await store.forgetLast(SESSION.id, null)).toEqual(NOTHING);
      expect((await store.sessionFacts(SESSION.id)).messages).toBe(1);
    });

    it('goes back turn by turn', async (store) => {
      for (let i = 0; i < 3; i += 1) await converse(store, { text: `q${i}` }, { text: `a${i}` });
      await store.forgetLast(SESSION.id, null);
      await store.forgetLast(SESSION.id, null);
      expect(await texts(store)).toEqual(['q0', 'a0']);
    });

    it('reaches summaries and quotes of the turn, and does not let it come back', async (store) => {
      const message = aMessage({ state: 'pending' });
      const { question, answer } = await converse(store, message);
      await keep(store, someTalk({ quote: aQuoteOf(question) }));
      await summarise(store, answer.seq);
      expect(await store.forgetLast(SESSION.id, null)).toMatchObject({ dirtied: 1 });
      expect(await watermarks(store)).toEqual([-answer.seq]);
      expect(await told(store)).toMatchObject([{ quote: null }]);
      expect(await store.append(message)).toBeNull();
    });
  });
}

import { describe, expect } from 'vitest';
import { anAnswer, aQuestion, mustAppend, openTurn, someTalk } from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { messagesIn, pendingTurn, SESSION, textsIn, withStore } from './fixture.js';

export function answerContract(open: OpenStore): void {
  const it = withStore(open);

  describe('storeAnswer', () => {
    it('stores the answer under the platform id of the last question, not yet delivered', async (store) => {
      await mustAppend(store, aQuestion());
      const trigger = await mustAppend(store, aQuestion());
      await mustAppend(store, someTalk());
      const turn = await pendingTurn(store);
      const { counts: _, ...given } = anAnswer();
      expect(await store.storeAnswer(turn, anAnswer())).toEqual({
        ...given,
        seq: turn.answerSeq,
        sessionId: SESSION.id,
        platformId: trigger.platformId,
        role: 'assistant',
        quote: null,
        state: 'pending',
      });
      expect(await openTurn(store, SESSION.id)).toMatchObject({ questions: turn.questions });
    });

    it('writes the counts of the questions with it', async (store) => {
      const { seq } = await mustAppend(store, aQuestion());
      const turn = await pendingTurn(store);
      await store.storeAnswer(turn, anAnswer({ counts: [{ seq, tokens: 9, encoding: 'o200k_base' }] }));
      await store.settleTurn(turn);
      expect(await messagesIn(store)).toMatchObject([{ tokens: 9, encoding: 'o200k_base' }, { tokens: 7 }]);
    });

    it('does not write a count of what was edited meanwhile', async (store) => {
      const question = await mustAppend(store, aQuestion());
      const turn = await pendingTurn(store);
      await store.edit(SESSION.id, question.platformId, 'a much longer text');
      const counts = [{ seq: question.seq, tokens: 9, encoding: 'o200k_base' }];
      expect(await store.storeAnswer(turn, anAnswer({ counts }))).not.toBeNull();
      await store.settleTurn(turn);
      expect(await messagesIn(store)).toMatchObject([{ text: 'a much longer text', tokens: null, encoding: null }, {}]);
    });

    it('replaces an answer to the same turn that was not delivered', async (store) => {
      await mustAppend(store, aQuestion({ text: 'asked' }));
      const turn = await pendingTurn(store);
      await store.storeAnswer(turn, anAnswer({ text: 'first try' }));
      expect(await store.storeAnswer(turn, anAnswer({ text: 'second try' }))).toMatchObject({ seq: turn.answerSeq });
      await store.settleTurn(turn);
      expect(await textsIn(store)).toEqual(['asked', 'second try']);
    });

    it('replaces an undelivered answer of a resumed turn, without what was asked since', async (store) => {
      await mustAppend(store, aQuestion({ text: 'one' }));
      await store.storeAnswer(await pendingTurn(store), anAnswer({ text: 'lost' }));
      await mustAppend(store, aQuestion({ text: 'two' }));
      const again = await pendingTurn(store);
      await store.storeAnswer(again, anAnswer({ text: 'second try' }));
      await store.settleTurn(again);
      expect(await textsIn(store)).toEqual(['one', 'second try']);
      expect((await pendingTurn(store)).questions).toMatchObject([{ text: 'two' }]);
    });

    it('refuses when the session was forgotten meanwhile', async (store) => {
      await mustAppend(store, aQuestion());
      const turn = await pendingTurn(store);
      await store.forgetSession(SESSION.id);
      expect(await store.storeAnswer(turn, anAnswer())).toBeNull();
      expect(await messagesIn(store)).toEqual([]);
    });

    it('refuses when anyone was forgotten meanwhile, and the question can be asked anew', async (store) => {
      await mustAppend(store, someTalk({ authorId: 'eve' }));
      await mustAppend(store, aQuestion());
      const turn = await pendingTurn(store);
      await store.forgetAuthor(SESSION.id, 'eve');
      expect(await store.storeAnswer(turn, anAnswer())).toBeNull();
      expect(await store.storeAnswer(await pendingTurn(store), anAnswer())).not.toBeNull();
    });

    it('refuses when its last question was erased meanwhile', async (store) => {
      await mustAppend(store, aQuestion());
      const trigger = await mustAppend(store, aQuestion());
      const turn = await pendingTurn(store);
      await store.erase(SESSION.id, [trigger.platformId], 1);
      expect(await store.storeAnswer(turn, anAnswer())).toBeNull();
      expect((await pendingTurn(store)).questions).toHaveLength(1);
    });

    it('refuses a second try when its last question was erased after the first', async (store) => {
      await mustAppend(store, aQuestion({ text: 'left' }));
      const trigger = await mustAppend(store, aQuestion());
      const turn = await pendingTurn(store);
      await store.storeAnswer(turn, anAnswer({ text: 'first try' }));
      await store.erase(SESSION.id, [trigger.platformId], 1);
      expect(await store.storeAnswer(turn, anAnswer({ text: 'second try' }))).toBeNull();
      await store.settleTurn(turn);
      expect(await textsIn(store)).toEqual(['left', 'first try']);
    });

    it('refuses a second answer once one was delivered', async (store) => {
      await mustAppend(store, aQuestion());
      const turn = await pendingTurn(store);
      await store.storeAnswer(turn, anAnswer({ text: 'delivered' }));
      await store.settleTurn(turn);
      expect(await store.storeAnswer(turn, anAnswer({ text: 'again' }))).toBeNull();
      expect(await textsIn(store)).toContain('delivered');
      expect(await textsIn(store)).not.toContain('again');
    });
  });
}

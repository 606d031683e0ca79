import { describe, expect } from 'vitest';
import { anAnswer, aQuestion, mustAppend, openTurn, someTalk } from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { messagesIn, pendingTurn, SESSION, withStore } from './fixture.js';

export function turnEndingContract(open: OpenStore): void {
  const it = withStore(open);

  describe('settleTurn', () => {
    it('marks waiting questions and their answer answered, and leaves talk as it was', async (store) => {
      await mustAppend(store, aQuestion());
      await mustAppend(store, someTalk());
      await mustAppend(store, aQuestion());
      const turn = await pendingTurn(store);
      await store.storeAnswer(turn, anAnswer());
      expect(await store.settleTurn(turn)).toBe(true);
      expect((await messagesIn(store)).map(({ state }) => state)).toEqual([
        'answered',
        'heard',
        'answered',
        'answered',
      ]);
      expect(await store.settleTurn(turn)).toBe(true);
    });

    it('is false when the turn was forgotten meanwhile', async (store) => {
      await mustAppend(store, aQuestion());
      const turn = await pendingTurn(store);
      await store.storeAnswer(turn, anAnswer());
      await store.forgetSession(SESSION.id);
      expect(await store.settleTurn(turn)).toBe(false);
      expect(await messagesIn(store)).toEqual([]);
    });

    it('ends the waiting of the questions that are left when the answer was erased', async (store) => {
      await mustAppend(store, aQuestion());
      await mustAppend(store, aQuestion({ authorId: 'eve' }));
      const turn = await pendingTurn(store);
      await store.storeAnswer(turn, anAnswer());
      await store.forgetAuthor(SESSION.id, 'eve');
      expect(await store.settleTurn(turn)).toBe(false);
      expect(await messagesIn(store)).toMatchObject([{ authorId: 'ada', state: 'answered' }]);
      expect(await openTurn(store, SESSION.id)).toBeNull();
    });
  });

  describe('failTurn', () => {
    it('marks waiting questions failed and drops the answer that was not delivered', async (store) => {
      await mustAppend(store, aQuestion());
      await mustAppend(store, someTalk());
      const turn = await pendingTurn(store);
      await store.storeAnswer(turn, anAnswer());
      await store.failTurn(turn);
      expect((await messagesIn(store)).map(({ state }) => state)).toEqual(['failed', 'heard']);
      expect(await openTurn(store, SESSION.id)).toBeNull();
      expect((await store.sessionFacts(SESSION.id)).messages).toBe(2);
    });

    it('changes nothing about a turn that was answered', async (store) => {
      await mustAppend(store, aQuestion());
      const turn = await pendingTurn(store);
      await store.storeAnswer(turn, anAnswer());
      await store.settleTurn(turn);
      await store.failTurn(turn);
      expect((await messagesIn(store)).map(({ state }) => state)).toEqual(['answered', 'answered']);
    });

    it('leaves what was asked meanwhile waiting', async (store) => {
      await mustAppend(store, aQuestion());
      const turn = await pendingTurn(store);
      const late = await mustAppend(store, aQuestion());
      await store.failTurn(turn);
      expect((await pendingTurn(store)).questions).toEqual([late]);
    });

    it('drops an answer that an earlier process left undelivered', async (store) => {
      await mustAppend(store, aQuestion());
      await store.storeAnswer(await pendingTurn(store), anAnswer());
      const late = await mustAppend(store, aQuestion());
      await store.failTurn(await pendingTurn(store));
      expect((await messagesIn(store)).map(({ role, state }) => [role, state])).toEqual([['user', 'failed']]);
      expect((await pendingTurn(store)).questions).toEqual([late]);
      expect((await store.sessionFacts(SESSION.id)).messages).toBe(2);
    });
  });
}

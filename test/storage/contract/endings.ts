import { describe, expect } from 'vitest';
import { anAnswer, aQuestion, keep, openTurn, someTalk } from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { mustOpen, SESSION, stage, told } from './stage.js';

export function endingContract(open: OpenStore): void {
  const it = stage(open);

  describe('settleTurn', () => {
    it('marks waiting questions and their answer answered, and leaves talk as it was', async (store) => {
      await keep(store, aQuestion());
      await keep(store, someTalk());
      await keep(store, aQuestion());
      const turn = await mustOpen(store);
      await store.storeAnswer(turn, anAnswer());
      expect(await store.settleTurn(turn)).toBe(true);
      expect((await told(store)).map(({ state }) => state)).toEqual(['answered', 'heard', 'answered', 'answered']);
      expect(await store.settleTurn(turn)).toBe(true);
    });

    it('is false when the turn was forgotten meanwhile', async (store) => {
      await keep(store, aQuestion());
      const turn = await mustOpen(store);
      await store.storeAnswer(turn, anAnswer());
      await store.forgetSession(SESSION.id);
      expect(await store.settleTurn(turn)).toBe(false);
      expect(await told(store)).toEqual([]);
    });

    it('ends the waiting of the questions that are left when the answer was erased', async (store) => {
      await keep(store, aQuestion());
      await keep(store, aQuestion({ authorId: 'eve' }));
      const turn = await mustOpen(store);
      await store.storeAnswer(turn, anAnswer());
      await store.forgetAuthor(SESSION.id, 'eve');
      expect(await store.settleTurn(turn)).toBe(false);
      expect(await told(store)).toMatchObject([{ authorId: 'ada', state: 'answered' }]);
      expect(await openTurn(store, SESSION.id)).toBeNull();
    });
  });

  describe('failTurn', () => {
    it('marks waiting questions failed and drops the answer that was not delivered', async (store) => {
      await keep(store, aQuestion());
      await keep(store, someTalk());
      const turn = await mustOpen(store);
      await store.storeAnswer(turn, anAnswer());
      await store.failTurn(turn);
      expect((await told(store)).map(({ state }) => state)).toEqual(['failed', 'heard']);
      expect(await openTurn(store, SESSION.id)).toBeNull();
      expect((await store.sessionFacts(SESSION.id)).messages).toBe(2);
    });

    it('changes nothing about a turn that was answered', async (store) => {
      await keep(store, aQuestion());
      const turn = await mustOpen(store);
      await store.storeAnswer(turn, anAnswer());
      await store.settleTurn(turn);
      await store.failTurn(turn);
      expect((await told(store)).map(({ state }) => state)).toEqual(['answered', 'answered']);
    });

    it('leaves what was asked meanwhile waiting', async (store) => {
      await keep(store, aQuestion());
      const turn = await mustOpen(store);
      const late = await keep(store, aQuestion());
      await store.failTurn(turn);
      expect((await mustOpen(store)).questions).toEqual([late]);
    });

    it('drops an answer that an earlier process left undelivered', async (store) => {
      await keep(store, aQuestion());
      await store.storeAnswer(await mustOpen(store), anAnswer());
      const late = await keep(store, aQuestion());
      await store.failTurn(await mustOpen(store));
      expect((await told(store)).map(({ role, state }) => [role, state])).toEqual([['user', 'failed']]);
      expect((await mustOpen(store)).questions).toEqual([late]);
      expect((await store.sessionFacts(SESSION.id)).messages).toBe(2);
    });
  });
}

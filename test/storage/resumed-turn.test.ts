import { describe, expect, it } from 'vitest';
import { triggerIdOf } from '../../src/conversation/store.js';
import { anAnswer, aQuestion, mustAppend } from '../support/conversation.js';
import { BOTH_STORES } from './both-stores.js';
import { messagesIn, pendingTurn, SESSION } from './contract/fixture.js';

describe.each(BOTH_STORES)(
  '%s: an answer to two questions that was not delivered yet, the second one erased,',
  (_, aStore) => {
    /** The turn as it is taken up again, after its second question was erased. */
    async function interrupted() {
      const store = await aStore();
      const first = await mustAppend(store, aQuestion({ text: 'first' }));
      const second = await mustAppend(store, aQuestion({ text: 'second' }));
      await store.storeAnswer(await pendingTurn(store), anAnswer({ text: 'to both' }));
      const delivery = { sessionId: SESSION.id, answerTo: second.platformId, chunk: 0, nonce: 'n', messageId: 'shown' };
      await store.planDelivery(delivery);
      await store.erase(SESSION.id, [second.platformId], 1);
      const unfinished = await store.unfinishedAnswer(SESSION.id);
      if (unfinished === null) throw new Error('nothing to take up');
      return { store, first, second, delivery, ...unfinished };
    }

    it('is taken up with what it has shown already', async () => {
      const { turn, second, answer, deliveries, delivery } = await interrupted();
      expect(turn.questions.map(({ text }) => text)).toEqual(['first']);
      expect([answer?.text, triggerIdOf(turn), deliveries]).toEqual(['to both', second.platformId, [delivery]]);
    });

    it('can be settled', async () => {
      const { store, turn } = await interrupted();
      expect(await store.settleTurn(turn)).toBe(true);
      expect((await messagesIn(store)).map(({ text, state }) => [text, state])).toEqual([
        ['first', 'answered'],
        ['to both', 'answered'],
      ]);
    });

    it('goes with the turn when that fails, so that nothing waits for ever', async () => {
      const { store, turn } = await interrupted();
      await store.failTurn(turn);
      expect(await store.unfinishedAnswer(SESSION.id)).toBeNull();
      expect((await messagesIn(store)).map(({ text, state }) => [text, state])).toEqual([['first', 'failed']]);
    });
  },
);

import { describe, expect } from 'vitest';
import type { Store } from '../../../src/conversation/store.js';
import {
  aMessage,
  aQuestion,
  aQuoteOf,
  converse,
  mustAppend,
  openTurn,
  summarize,
} from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { SESSION, withStore } from './fixture.js';

const OTHER = 'discord:200';

export function isolationContract(open: OpenStore): void {
  const it = withStore(open);

  /** Fills another session, and says how to see whether any of it was touched. */
  async function witness(store: Store) {
    const here = await mustAppend(store, aMessage({ platformId: '1' }));
    await mustAppend(store, aMessage({ platformId: '1', sessionId: OTHER, quote: aQuoteOf(here) }));
    const { answer } = await converse(store, { platformId: '2', sessionId: OTHER });
    await summarize(store, answer.seq, { sessionId: OTHER });
    await mustAppend(store, aQuestion({ platformId: '3', sessionId: OTHER }));
    const look = async () => [
      await store.loadHistory(OTHER, { summary: false }),
      await store.loadHistory(OTHER, { summary: true }),
      (await openTurn(store, OTHER))?.questions,
      await store.sessionFacts(OTHER),
    ];
    const before = await look();
    return async () => expect(await look()).toEqual(before);
  }

  describe('sessions are apart', () => {
    it('so that erasing, editing and forgetting reach nothing of another one', async (store) => {
      const untouched = await witness(store);
      await store.edit(SESSION.id, '1', 'edited');
      await store.erase(SESSION.id, ['1', '2', '3'], 1);
      await store.forgetAuthor(SESSION.id, 'ada');
      await mustAppend(store, aQuestion());
      await store.forgetLast(SESSION.id, null);
      await store.forgetSession(SESSION.id);
      await untouched();
    });

    it('so that turns, folds and sweeps reach nothing of another one', async (store) => {
      const untouched = await witness(store);
      const { answer } = await converse(store);
      await mustAppend(store, aQuestion());
      const turn = await openTurn(store, SESSION.id);
      if (turn) await store.failTurn(turn);
      await summarize(store, answer.seq, { dropCovered: true });
      await store.sweep(SESSION.id, { coveredUntil: 99_999, unreachedBelow: 99_999 }, 99);
      await untouched();
    });

    it('so that nothing said in one is read in another one', async (store) => {
      await witness(store);
      await store.forgetSession(SESSION.id);
      expect((await store.loadHistory(SESSION.id, { summary: true })).messages).toEqual([]);
      expect((await store.loadHistory(SESSION.id, { summary: true })).summary).toBeNull();
      expect(await store.loadSpan(SESSION.id, 0, 99_999, 99)).toEqual([]);
      expect(await openTurn(store, SESSION.id)).toBeNull();
    });
  });
}

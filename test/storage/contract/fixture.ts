import { it } from 'vitest';
import type { Erased, Store, Turn } from '../../../src/conversation/store.js';
import { aMessage, aSession, mustAppend, openTurn } from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';

/** The session of the contract tests. */
export const SESSION = aSession();

/** The receipt of an erasure that found nothing. */
export const NOTHING_ERASED: Erased = {
  messages: 0,
  answers: 0,
  summaries: 0,
  dirtied: 0,
  unrebuildable: null,
  names: [],
};

/** Makes an `it` whose test gets a new store in which `SESSION` is open; the store is closed afterwards. */
export function withStore(open: OpenStore) {
  return (promise: string, test: (store: Store) => Promise<void>): void => {
    it(promise, async () => {
      const store = await open();
      try {
        await store.openSession(SESSION);
        await test(store);
      } finally {
        await store.close();
      }
    });
  };
}

/** All messages that a session's history holds, oldest first. */
export async function messagesIn(store: Store, sessionId = SESSION.id) {
  return (await store.loadHistory(sessionId, { summary: false })).messages;
}

/** The texts of all messages that a session's history holds, oldest first. */
export async function textsIn(store: Store, sessionId = SESSION.id): Promise<string[]> {
  return (await messagesIn(store, sessionId)).map(({ text }) => text);
}

/** The turn that waits in a session. @throws when none does. */
export async function pendingTurn(store: Store, sessionId = SESSION.id): Promise<Turn> {
  const turn = await openTurn(store, sessionId);
  if (turn === null) throw new Error('no question waits');
  return turn;
}

/** Stores `n` settled messages and returns their numbers. */
export async function appendSome(store: Store, n: number): Promise<number[]> {
  const seqs: number[] = [];
  for (let i = 0; i < n; i += 1) seqs.push((await mustAppend(store, aMessage({ text: `said ${i}` }))).seq);
  return seqs;
}

/** The watermarks of a session's summaries, dirty ones as negative numbers. */
export async function watermarks(store: Store): Promise<number[]> {
  const { summaries } = await store.sessionFacts(SESSION.id);
  return summaries.map(({ throughSeq, dirty }) => (dirty ? -throughSeq : throughSeq));
}

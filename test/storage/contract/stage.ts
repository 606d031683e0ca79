import { it } from 'vitest';
import type { Store, Turn } from '../../../src/conversation/store.js';
import { aSession, openTurn } from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';

/** The session that contract tests talk in. */
export const SESSION = aSession();

/** A test on a new store in which `SESSION` is open; the store is closed afterwards. */
export function stage(open: OpenStore) {
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
export async function told(store: Store, sessionId = SESSION.id) {
  return (await store.loadHistory(sessionId, { summary: false })).messages;
}

/** The texts of all messages that a session's history holds, oldest first. */
export async function texts(store: Store, sessionId = SESSION.id): Promise<string[]> {
  return (await told(store, sessionId)).map(({ text }) => text);
}

/** Opens a turn that must be there. */
export async function mustOpen(store: Store, sessionId = SESSION.id): Promise<Turn> {
  const turn = await openTurn(store, sessionId);
  if (turn === null) throw new Error('no question waits');
  return turn;
}

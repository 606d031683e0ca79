import type { Clock } from './clock.js';

/** Which message an author made with a nonce lately. */
export type Nonces = {
  find(authorId: string, nonce: string): string | undefined;
  keep(authorId: string, nonce: string, messageId: string): void;
};

/** A memory that forgets after `lifeMs` milliseconds. */
export function createNonces(clock: Clock, lifeMs: number): Nonces {
  const kept = new Map<string, { messageId: string; at: number }>();
  return {
    find(authorId, nonce) {
      const found = kept.get(`${authorId}:${nonce}`);
      return found !== undefined && clock.now() - found.at <= lifeMs ? found.messageId : undefined;
    },
    keep: (authorId, nonce, messageId) => void kept.set(`${authorId}:${nonce}`, { messageId, at: clock.now() }),
  };
}

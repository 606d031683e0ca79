import type { PromptImage } from '../../conversation/model.js';

/** Holds the pictures of questions that wait for their answer, by message; they are never stored. */
export class Pictures {
  readonly #byMessage = new Map<string, readonly PromptImage[]>();

  /** Holds the pictures of a message until it is dropped. */
  keep(messageId: string, images: readonly PromptImage[]): void {
    if (images.length > 0) this.#byMessage.set(messageId, images);
  }

  /** All pictures of some messages, in their order. */
  of(messageIds: readonly string[]): readonly PromptImage[] {
    return messageIds.flatMap((id) => this.#byMessage.get(id) ?? []);
  }

  drop(messageId: string): void {
    this.#byMessage.delete(messageId);
  }
}

/** How long a turn waits at most for its questions' attachments, in milliseconds; each file has a timeout of its own. */
const MAX_WAIT_MS = 15_000;

/** Tracks downloads of attachments by session, so that no turn starts before its questions are complete. */
export class Downloads {
  readonly #running = new Map<string, Set<Promise<unknown>>>();

  /** Tracks a download; resolves and rejects as it does. */
  add<T>(sessionId: string, download: Promise<T>): Promise<T> {
    const downloads = this.#running.get(sessionId) ?? new Set();
    this.#running.set(sessionId, downloads.add(download));
    const done = () => {
      downloads.delete(download);
      if (downloads.size === 0) this.#running.delete(sessionId);
    };
    download.then(done, done);
    return download;
  }

  /** Resolves when no download of a session runs, after 15 s at most, or when `signal` is aborted. */
  async settled(sessionId: string, signal: AbortSignal): Promise<void> {
    if (!this.#running.has(sessionId)) return;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)]);
    const expired = new Promise((resolve) => limit.addEventListener('abort', resolve, { once: true }));
    while (!limit.aborted) {
      const downloads = this.#running.get(sessionId);
      if (downloads === undefined) return;
      await Promise.race([expired, Promise.allSettled(downloads)]);
    }
  }
}

/** Knows which questions turns have claimed, for as long as a caller waits to learn how they end. */
export type ClaimedQuestions = {
  /** Registers a caller that waits for a question; call the result once it knows. */
  expect(sessionId: string, questionId: string): () => void;
  /** Records that a turn has claimed these questions: however it ends, that is their end. */
  claim(sessionId: string, questionIds: readonly string[]): void;
  /** Records that the turn was begun anew without these. */
  release(sessionId: string, questionIds: readonly string[]): void;
  /** Whether a turn has claimed a question that a caller waits for. */
  isClaimed(sessionId: string, questionId: string): boolean;
};

export function createClaimedQuestions(): ClaimedQuestions {
  const expected = new Map<string, { claimed: boolean }>();
  const key = (sessionId: string, questionId: string) => `${sessionId} ${questionId}`;
  const set = (sessionId: string, questionIds: readonly string[], claimed: boolean) => {
    for (const id of questionIds) {
      const question = expected.get(key(sessionId, id));
      if (question !== undefined) question.claimed = claimed;
    }
  };
  return {
    expect(sessionId, questionId) {
      const own = { claimed: false };
      expected.set(key(sessionId, questionId), own);
      return () => {
        if (expected.get(key(sessionId, questionId)) === own) expected.delete(key(sessionId, questionId));
      };
    },
    claim: (sessionId, questionIds) => set(sessionId, questionIds, true),
    release: (sessionId, questionIds) => set(sessionId, questionIds, false),
    isClaimed: (sessionId, questionId) => expected.get(key(sessionId, questionId))?.claimed === true,
  };
}

import type { PromptImage } from '../../conversation/model.js';

/** The pictures of questions that wait for their answer, by message; they are never stored. */
export class Pictures {
  readonly #byMessage = new Map<string, readonly PromptImage[]>();

  /** Keeps the pictures of a message until it is let go. */
  keep(messageId: string, images: readonly PromptImage[]): void {
    if (images.length > 0) this.#byMessage.set(messageId, images);
  }

  /** All pictures of some messages, in their order. */
  of(messageIds: readonly string[]): readonly PromptImage[] {
    return messageIds.flatMap((id) => this.#byMessage.get(id) ?? []);
  }

  /** Lets the pictures of a message go. */
  drop(messageId: string): void {
    this.#byMessage.delete(messageId);
  }
}

/** How long a turn waits at most for what its questions carry, in milliseconds; each file has a limit of its own. */
const PATIENCE_MS = 15_000;

/** What is being fetched for messages of a session, so that no turn takes up a question without what it carries. */
export class Downloads {
  readonly #underWay = new Map<string, Set<Promise<unknown>>>();

  /** Keeps in mind that something is being fetched; resolves and rejects as it does. */
  add<T>(sessionId: string, download: Promise<T>): Promise<T> {
    const ours = this.#underWay.get(sessionId) ?? new Set();
    this.#underWay.set(sessionId, ours.add(download));
    const done = () => {
      ours.delete(download);
      if (ours.size === 0) this.#underWay.delete(sessionId);
    };
    download.then(done, done);
    return download;
  }

  /** Resolves when nothing is being fetched in a session, when it took too long, or when `signal` is aborted. */
  async settled(sessionId: string, signal: AbortSignal): Promise<void> {
    if (!this.#underWay.has(sessionId)) return;
    const late = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    const over = new Promise((resolve) => late.addEventListener('abort', resolve, { once: true }));
    while (!late.aborted) {
      const ours = this.#underWay.get(sessionId);
      if (ours === undefined) return;
      await Promise.race([over, Promise.allSettled(ours)]);
    }
  }
}

/** Knows which questions turns have taken up, for as long as somebody waits to hear how they end. */
export type ClaimedQuestions = {
  /** Somebody waits to hear of a question; call the result once they have heard. */
  expect(sessionId: string, questionId: string): () => void;
  /** A turn has taken up these questions; however it ends, its end is theirs. */
  claim(sessionId: string, questionIds: readonly string[]): void;
  /** The turn was begun anew without these. */
  release(sessionId: string, questionIds: readonly string[]): void;
  /** Whether a turn has taken up a question that somebody waits to hear of. */
  isClaimed(sessionId: string, questionId: string): boolean;
};

/** Starts with none. */
export function createClaimedQuestions(): ClaimedQuestions {
  const waiting = new Map<string, { taken: boolean }>();
  const key = (sessionId: string, questionId: string) => `${sessionId} ${questionId}`;
  const set = (sessionId: string, questionIds: readonly string[], taken: boolean) => {
    for (const id of questionIds) {
      const question = waiting.get(key(sessionId, id));
      if (question !== undefined) question.taken = taken;
    }
  };
  return {
    expect(sessionId, questionId) {
      const own = { taken: false };
      waiting.set(key(sessionId, questionId), own);
      return () => {
        if (waiting.get(key(sessionId, questionId)) === own) waiting.delete(key(sessionId, questionId));
      };
    },
    claim: (sessionId, questionIds) => set(sessionId, questionIds, true),
    release: (sessionId, questionIds) => set(sessionId, questionIds, false),
    isClaimed: (sessionId, questionId) => waiting.get(key(sessionId, questionId))?.taken === true,
  };
}

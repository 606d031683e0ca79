/** Knows which questions turns have taken up, for as long as somebody waits to hear how they end. */
export type TakenQuestions = {
  /** Somebody waits to hear of a question; call the result once they have heard. */
  expect(sessionId: string, questionId: string): () => void;
  /** A turn has taken up these questions; however it ends, its end is theirs. */
  take(sessionId: string, questionIds: readonly string[]): void;
  /** The turn was begun anew without these. */
  release(sessionId: string, questionIds: readonly string[]): void;
  /** Whether a turn has taken up a question that somebody waits to hear of. */
  has(sessionId: string, questionId: string): boolean;
};

/** Starts with none. */
export function createTakenQuestions(): TakenQuestions {
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
    take: (sessionId, questionIds) => set(sessionId, questionIds, true),
    release: (sessionId, questionIds) => set(sessionId, questionIds, false),
    has: (sessionId, questionId) => waiting.get(key(sessionId, questionId))?.taken === true,
  };
}

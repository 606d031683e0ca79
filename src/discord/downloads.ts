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

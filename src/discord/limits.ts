/** Keeps people from asking too fast and servers from taking all answers: bounded in memory, by an injected clock. */
export class Limits {
  readonly #cooldownMs: number;
  readonly #perServer: number;
  readonly #lastAsked = new Map<string, number>();
  readonly #answering = new Map<string, number>();

  constructor(cooldownMs: number, answersPerServer: number) {
    this.#cooldownMs = cooldownMs;
    this.#perServer = answersPerServer;
  }

  /**
   * Milliseconds that a person still has to wait in a place, or 0, in which case the question counts. `now` is when it was
   * asked; the same question again costs nothing.
   */
  cooldown(place: string, authorId: string, now: number): number {
    const key = `${place} ${authorId}`;
    const last = this.#lastAsked.get(key) ?? Number.NEGATIVE_INFINITY;
    if (last === now) return 0;
    const wait = last + this.#cooldownMs - now;
    if (wait > 0 && now > last) return wait;
    this.#lastAsked.delete(key);
    this.#lastAsked.set(key, now);
    for (const [old, at] of this.#lastAsked) {
      if (at + this.#cooldownMs > now) break;
      this.#lastAsked.delete(old);
    }
    return 0;
  }

  /** Takes one of a server's places for an answer; null when all are taken. Call the result to give it back. */
  enter(serverId: string): (() => void) | null {
    const taken = this.#answering.get(serverId) ?? 0;
    if (taken >= this.#perServer) return null;
    this.#answering.set(serverId, taken + 1);
    return () => {
      const now = (this.#answering.get(serverId) ?? 1) - 1;
      if (now === 0) this.#answering.delete(serverId);
      else this.#answering.set(serverId, now);
    };
  }
}

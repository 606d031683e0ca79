import { type Clock, type Sleep, sleep } from '../../conversation/clock.js';

/** Limits how often a person may ask and how many answers a server gets at once; memory is bounded. */
export class RateLimits {
  readonly #cooldownMs: number;
  readonly #perServer: number;
  readonly #lastAsked = new Map<string, number>();
  readonly #answering = new Map<string, number>();

  constructor(cooldownMs: number, answersPerServer: number) {
    this.#cooldownMs = cooldownMs;
    this.#perServer = answersPerServer;
  }

  /**
   * Returns the milliseconds that a person still has to wait in a scope, or 0, in which case the question counts. `askedAt`
   * is in milliseconds since 1970; the same question again costs nothing.
   */
  cooldown(scopeId: string, authorId: string, askedAt: number): number {
    const key = `${scopeId} ${authorId}`;
    const last = this.#lastAsked.get(key) ?? Number.NEGATIVE_INFINITY;
    if (last === askedAt) return 0;
    const wait = last + this.#cooldownMs - askedAt;
    if (wait > 0 && askedAt > last) return wait;
    this.#lastAsked.delete(key);
    this.#lastAsked.set(key, askedAt);
    for (const [old, at] of this.#lastAsked) {
      if (at + this.#cooldownMs > askedAt) break;
      this.#lastAsked.delete(old);
    }
    return 0;
  }

  /** Takes one of a scope's slots for an answer; null when all are taken. Call the result to release it. */
  enter(scopeId: string): (() => void) | null {
    const taken = this.#answering.get(scopeId) ?? 0;
    if (taken >= this.#perServer) return null;
    this.#answering.set(scopeId, taken + 1);
    return () => {
      const left = (this.#answering.get(scopeId) ?? 1) - 1;
      if (left === 0) this.#answering.delete(scopeId);
      else this.#answering.set(scopeId, left);
    };
  }
}

/** Remembers for a while what must not be done again, such as writing to a channel that refuses messages. */
export class Cooldowns {
  readonly #until = new Map<string, number>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts a cooldown of `ms` milliseconds, or starts it anew. */
  start(key: string, ms: number): void {
    for (const [old, until] of this.#until) if (until <= this.#clock()) this.#until.delete(old);
    this.#until.set(key, this.#clock() + ms);
  }

  isActive(key: string): boolean {
    return (this.#until.get(key) ?? 0) > this.#clock();
  }

  /** Starts a cooldown unless it is active; true when it was started. */
  tryStart(key: string, ms: number): boolean {
    if (this.isActive(key)) return false;
    this.start(key, ms);
    return true;
  }
}

/** Spaces the edits in each channel, over all answers that are shown there. */
export type EditThrottle = {
  /** Resolves when the channel may be edited again, and takes that slot for the caller. */
  edit(channelId: string): Promise<void>;
  /** Records that a message was sent or an edit has ended, so that the interval counts from now. */
  note(channelId: string): void;
};

const MAX_CHANNELS = 1_000;

/** Allows one edit per channel in `intervalMs` milliseconds, counted from the end of the one before. */
export function createEditThrottle(intervalMs: number, clock: Clock, wait: Sleep = sleep): EditThrottle {
  const last = new Map<string, number>();
  const note = (channelId: string) => {
    last.delete(channelId);
    last.set(channelId, clock());
    if (last.size <= MAX_CHANNELS) return;
    for (const [id, at] of last) if (clock() - at >= intervalMs) last.delete(id);
  };
  return {
    note,
    async edit(channelId) {
      for (;;) {
        const left = (last.get(channelId) ?? Number.NEGATIVE_INFINITY) + intervalMs - clock();
        if (left <= 0) break;
        // After the clock was set back, `left` may exceed the interval.
        await wait(Math.min(left, intervalMs));
        if (left > intervalMs) break;
      }
      note(channelId);
    },
  };
}

import type { Clock } from '../../conversation/clock.js';

/** Keeps people from asking too fast and servers from taking all answers: bounded in memory, by an injected clock. */
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

/** Remembers, for a while, what must not be done again: channels that refuse messages, notices that were given. */
export class Cooldowns {
  readonly #until = new Map<string, number>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Mutes a thing for `ms` milliseconds. */
  start(key: string, ms: number): void {
    for (const [old, until] of this.#until) if (until <= this.#clock()) this.#until.delete(old);
    this.#until.set(key, this.#clock() + ms);
  }

  /** Whether a thing is muted now. */
  isActive(key: string): boolean {
    return (this.#until.get(key) ?? 0) > this.#clock();
  }

  /** True the first time within `ms` milliseconds. */
  tryStart(key: string, ms: number): boolean {
    if (this.isActive(key)) return false;
    this.start(key, ms);
    return true;
  }
}

/** Resolves after so many milliseconds. */
export type Wait = (ms: number) => Promise<void>;

/** Keeps the edits in each channel apart, over all answers that are shown there. */
export type EditThrottle = {
  /** Resolves when the channel may be edited again, and takes that moment for the caller. */
  edit(channelId: string): Promise<void>;
  /** Records that a message was sent or an edit has ended, so that the interval counts from now. */
  note(channelId: string): void;
  wait: Wait;
};

const CHANNELS_AT_MOST = 1_000;

/** Waits on the event loop's timers. */
export const waitFor: Wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** At most one edit per channel in `intervalMs` milliseconds, counted from the end of the one before. */
export function createEditThrottle(intervalMs: number, clock: Clock, wait: Wait = waitFor): EditThrottle {
  const last = new Map<string, number>();
  const note = (channelId: string) => {
    last.delete(channelId);
    last.set(channelId, clock());
    if (last.size <= CHANNELS_AT_MOST) return;
    for (const [id, at] of last) if (clock() - at >= intervalMs) last.delete(id);
  };
  return {
    wait,
    note,
    async edit(channelId) {
      for (;;) {
        const left = (last.get(channelId) ?? Number.NEGATIVE_INFINITY) + intervalMs - clock();
        if (left <= 0) break;
        // A clock that was set back must not hold an edit for longer than the interval.
        await wait(Math.min(left, intervalMs));
        if (left > intervalMs) break;
      }
      note(channelId);
    },
  };
}

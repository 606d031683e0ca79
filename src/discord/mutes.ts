import type { Clock } from '../conversation/clock.js';

/** Remembers, for a while, what must not be done again: channels that refuse messages, notices that were given. */
export class Mutes {
  readonly #until = new Map<string, number>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Mutes a thing for `ms` milliseconds. */
  mute(key: string, ms: number): void {
    for (const [old, until] of this.#until) if (until <= this.#clock()) this.#until.delete(old);
    this.#until.set(key, this.#clock() + ms);
  }

  /** Whether a thing is muted now. */
  isMuted(key: string): boolean {
    return (this.#until.get(key) ?? 0) > this.#clock();
  }

  /** True the first time within `ms` milliseconds. */
  first(key: string, ms: number): boolean {
    if (this.isMuted(key)) return false;
    this.mute(key, ms);
    return true;
  }
}

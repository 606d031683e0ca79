import { type Meter, NO_METER } from '../conversation/meter.js';

/** Runs the tasks of one session one after the other, in order, and sessions in parallel; an idle session takes no memory. */
export class SessionQueue {
  readonly #meter: Pick<Meter, 'queued'>;
  #total = 0;
  readonly #tails = new Map<string, { tail: Promise<unknown>; length: number }>();

  constructor(meter: Pick<Meter, 'queued'> = NO_METER) {
    this.#meter = meter;
  }

  /** Runs a task once all earlier ones of its session have ended, however they ended. */
  async run<T>(sessionId: string, task: () => Promise<T>): Promise<T> {
    const entry = this.#tails.get(sessionId) ?? { tail: Promise.resolve(), length: 0 };
    this.#tails.set(sessionId, entry);
    entry.length += 1;
    this.#count(1);
    const result = entry.tail.then(task);
    entry.tail = result.catch(() => {});
    try {
      return await result;
    } finally {
      entry.length -= 1;
      this.#count(-1);
      if (entry.length === 0) this.#tails.delete(sessionId);
    }
  }

  /** Counts the tasks of a session that run or wait. */
  waiting(sessionId: string): number {
    return this.#tails.get(sessionId)?.length ?? 0;
  }

  #count(change: number): void {
    this.#total += change;
    this.#meter.queued(this.#total);
  }
}

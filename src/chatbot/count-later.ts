import type { Message } from '../conversation/message.js';
import { countMessages } from './counting.js';
import type { Parts } from './parts.js';

/** Counts messages behind the intake; a count that fails is made up for by the next plan that needs it. */
export class CountLater {
  readonly #parts: Parts;
  #waiting: Message[] = [];
  #work: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Counts a message soon, together with others that come meanwhile. */
  add(message: Message): void {
    this.#waiting.push(message);
    if (this.#waiting.length > 1) return;
    this.#work = this.#work
      .then(() => this.#flush())
      .catch((error) => this.#parts.logger.warn({ error }, 'messages not counted yet'));
  }

  /** Resolves when what was added so far is counted. */
  settled(): Promise<void> {
    return this.#work;
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    const { counter, store, modelNamed, options } = this.#parts;
    await store.saveCounts(await countMessages(counter, batch, modelNamed(options.defaultModel).encoding));
  }
}

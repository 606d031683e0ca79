import type { Clock } from '../conversation/clock.js';
import type { ChatModel, Usage } from '../conversation/model.js';
import type { Window } from '../memory/budget.js';

const NARROW_MS = 3_600_000;

/** What has been learned of the endpoints' real windows and counts since the start. */
export class Windows {
  readonly #factors = new Map<string, number>();
  readonly #limits = new Map<string, { limit: number; until: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The window of a model for an answer of at most `maxAnswerTokens`. */
  of(model: ChatModel, maxAnswerTokens: number): Window {
    return {
      contextWindow: this.#limit(model),
      maxAnswerTokens,
      safety: model.safety,
      factor: this.#factors.get(model.id) ?? 1,
      encoding: model.encoding,
    };
  }

  /** Compares our count of a prompt with the endpoint's, so that later prompts keep the margin that it needs. */
  observe(model: ChatModel, counted: number, usage: Usage | null): void {
    if (usage === null || counted < 100 || usage.input <= 0) return;
    // The safety margin already covers small differences; only what goes beyond it calls for a factor.
    const ratio = Math.min(usage.input / counted / (1 + model.safety), 3);
    const known = this.#factors.get(model.id) ?? 1;
    this.#factors.set(model.id, Math.max(1, ratio > known ? ratio : known * 0.9 + ratio * 0.1));
  }

  /**
   * Narrows a model's window after it refused a prompt as too long: to the limit it named, else by a third, down to a quarter.
   * That holds for an hour, since other limits of an endpoint are told in the same words.
   */
  narrow(model: ChatModel, limit: number | undefined): void {
    const present = this.#limit(model);
    const named = limit !== undefined && limit < present ? limit : null;
    const narrowed = named ?? Math.max(Math.floor((present * 2) / 3), Math.floor(model.contextWindow / 4));
    this.#limits.set(model.id, { limit: narrowed, until: this.#clock() + NARROW_MS });
  }

  #limit(model: ChatModel): number {
    const known = this.#limits.get(model.id);
    return known !== undefined && known.until > this.#clock() ? known.limit : model.contextWindow;
  }
}

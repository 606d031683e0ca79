import type { ChatModel, Usage } from '../conversation/model.js';
import type { Window } from '../memory/budget.js';

/** What has been learned of the endpoints' real windows and counts since the start. */
export class Windows {
  readonly #factors = new Map<string, number>();
  readonly #limits = new Map<string, number>();

  /** The window of a model for an answer of at most `maxAnswerTokens`. */
  of(model: ChatModel, maxAnswerTokens: number): Window {
    return {
      contextWindow: this.#limits.get(model.id) ?? model.contextWindow,
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

  /** Narrows a model's window after it refused a prompt as too long: to the limit it named, else by a third. */
  narrow(model: ChatModel, limit: number | undefined): void {
    const present = this.#limits.get(model.id) ?? model.contextWindow;
    this.#limits.set(model.id, limit !== undefined && limit < present ? limit : Math.floor((present * 2) / 3));
  }
}

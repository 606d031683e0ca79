import type { Clock } from '../conversation/clock.js';
import type { ChatModel, Usage } from '../conversation/model.js';
import type { ModelLimits } from '../memory/budget.js';

/** A reduced window expires after this time, since endpoints report other limits in the same words. */
const REDUCED_MS = 3_600_000;

/** Tracks what the endpoints' answers reveal of a model: its real context window, and by how much its counts exceed ours. */
export class ObservedLimits {
  readonly #factors = new Map<string, number>();
  readonly #reduced = new Map<string, { contextWindow: number; until: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The limits of a model for an answer of at most `maxAnswerTokens`. */
  limitsOf(model: ChatModel, maxAnswerTokens: number): ModelLimits {
    return {
      contextWindow: this.#contextWindow(model),
      maxAnswerTokens,
      safety: model.safety,
      factor: this.#factors.get(model.id) ?? 1,
      encoding: model.encoding,
    };
  }

  /** Compares our count of a prompt with the endpoint's, so that later prompts keep the margin that it needs. */
  recordUsage(model: ChatModel, promptTokens: number, usage: Usage | null): void {
    if (usage === null || promptTokens < 100 || usage.input <= 0) return;
    // The safety margin already covers small differences; only what goes beyond it calls for a factor.
    const ratio = Math.min(usage.input / promptTokens / (1 + model.safety), 3);
    const factor = this.#factors.get(model.id) ?? 1;
    this.#factors.set(model.id, Math.max(1, ratio > factor ? ratio : factor * 0.9 + ratio * 0.1));
  }

  /**
   * Reduces a model's window for an hour after it refused a prompt as too long: to the limit it named, else by a third, down
   * to a quarter.
   */
  recordOverflow(model: ChatModel, limit: number | undefined): void {
    const current = this.#contextWindow(model);
    const named = limit !== undefined && limit < current ? limit : null;
    const contextWindow = named ?? Math.max(Math.floor((current * 2) / 3), Math.floor(model.contextWindow / 4));
    this.#reduced.set(model.id, { contextWindow, until: this.#clock() + REDUCED_MS });
  }

  #contextWindow(model: ChatModel): number {
    const reduced = this.#reduced.get(model.id);
    return reduced !== undefined && reduced.until > this.#clock() ? reduced.contextWindow : model.contextWindow;
  }
}

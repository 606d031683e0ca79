/** The counters and their labels; no label ever holds a text, a name or an id. */
export type Counts = {
  /** Turns by how they ended. */
  turns: { outcome: string };
  /** Tokens that the endpoint reports: `input` or `output`. */
  tokens: { direction: 'input' | 'output' };
  /** Folds: `done`, `stale` (the conversation changed meanwhile) or `failed`. */
  folds: { outcome: 'done' | 'stale' | 'failed' };
  /** Requests that a platform refused, by status. */
  refusals: { status: string };
};

/** The timed parts of a turn; `first-token` and `model` count from the request to the model. */
type TurnPart = 'recall' | 'first-token' | 'model' | 'delivery';

/** Records measurements; never throws and never waits. */
export interface Meter {
  count<K extends keyof Counts>(name: K, labels: Counts[K], by?: number): void;
  /** Records how long a part of a turn took, in milliseconds. */
  time(part: TurnPart, ms: number): void;
  /** Records how many turns run or wait. */
  queued(turns: number): void;
}

/** Measures nothing. */
export const NO_METER: Meter = { count() {}, time() {}, queued() {} };

import type { Clock } from '../conversation/clock.js';
import type { Meter } from '../conversation/meter.js';
import type { ChatModel, TokenCounter } from '../conversation/model.js';
import type { Store, TokenLimits } from '../conversation/store.js';
import type { Logger } from '../logger.js';
import { Compaction } from './compaction.js';
import { ContextWindows } from './recall.js';

/** What the composition root chooses for a chatbot. */
export type GivenDependencies = {
  store: Store;
  counter: TokenCounter;
  /** The model by name; the default model's name when a session has set none. */
  modelNamed: (name: string) => ChatModel;
  summaryModel: ChatModel;
  clock: Clock;
  logger: Logger;
  meter: Meter;
  options: Options;
};

/** What recall and folds work with: the given dependencies, and what was learned of the models' context windows. */
export type RecallDependencies = GivenDependencies & { windows: ContextWindows };

/** What the verbs of a chatbot work with. */
export type Dependencies = RecallDependencies & { compaction: Compaction };

/** The owner's options, which hold for every session. */
export type Options = {
  defaultModel: string;
  /** Models that a scope may have set, beside the default one; null allows all. */
  allowedModels: readonly string[] | null;
  temperature: number | undefined;
  maxAnswerTokens: number;
  /** Days for which messages stay after they are covered or out of reach; 0 deletes covered ones at once. */
  retentionDays: number;
  /** How long a turn may take, in milliseconds. */
  turnMs: number;
  /** How long a question may wait for its turn, also over a restart, in milliseconds. */
  waitMs: number;
  /** The owner's limits in tokens a day; null is none. A server's own limits cannot exceed them. */
  ceilings: TokenLimits;
  /** Replaces the built-in instructions to the summarizer. */
  summaryInstructions: string | null;
  /** How many folds run at once over all sessions. */
  foldsAtOnce: number;
  /** The first pause after a failed fold in milliseconds; it doubles up to an hour. */
  foldRetryMs: number;
};

/** Adds the state that all verbs of one chatbot share. */
export function createDependencies(given: GivenDependencies): Dependencies {
  const deps: RecallDependencies = { ...given, windows: new ContextWindows(given.clock) };
  return { ...deps, compaction: new Compaction(deps) };
}

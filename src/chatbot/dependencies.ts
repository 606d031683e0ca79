import type { Clock } from '../conversation/clock.js';
import type { Meter } from '../conversation/meter.js';
import type { ChatModel, TokenCounter } from '../conversation/model.js';
import type { Store, TokenLimits } from '../conversation/store.js';
import type { Logger } from '../logger.js';
import { Compaction } from './compaction.js';
import { ObservedLimits } from './observed-limits.js';

/** The parts of a chatbot that the composition root chooses. */
export type BaseDependencies = {
  store: Store;
  counter: TokenCounter;
  /** Finds a model by name; called with the default model's name when a session has set none. */
  modelNamed: (name: string) => ChatModel;
  summaryModel: ChatModel;
  clock: Clock;
  logger: Logger;
  meter: Meter;
  options: Options;
};

/** The dependencies of prompts and folds. */
export type PromptDependencies = BaseDependencies & { observedLimits: ObservedLimits };

/** The dependencies of all other operations. */
export type Dependencies = PromptDependencies & { compaction: Compaction };

/** The owner's options, which hold for every session. */
export type Options = {
  defaultModel: string;
  /** Models that a scope may set beside the default one; null allows all. */
  allowedModels: readonly string[] | null;
  temperature: number | undefined;
  maxAnswerTokens: number;
  /** Days for which messages are kept after they are covered or out of reach; 0 deletes covered ones at once. */
  retentionDays: number;
  /** The most that a turn may take, in milliseconds. */
  turnMs: number;
  /** The most that a question may wait for its turn, also over a restart, in milliseconds. */
  waitMs: number;
  /** The owner's limits in tokens a day; null is no limit. A server's own limits cannot exceed them. */
  ceilings: TokenLimits;
  /** Replaces the built-in instructions to the summarizer. */
  summaryInstructions: string | null;
  /** The most folds that run at once over all sessions. */
  foldsAtOnce: number;
  /** The delay before the first retry of a failed fold, in milliseconds; it doubles up to an hour. */
  foldRetryMs: number;
};

/** Adds the state that all operations of one chatbot share. */
export function createDependencies(base: BaseDependencies): Dependencies {
  const deps: PromptDependencies = { ...base, observedLimits: new ObservedLimits(base.clock) };
  return { ...deps, compaction: new Compaction(deps) };
}

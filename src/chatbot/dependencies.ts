import type { Clock } from '../conversation/clock.js';
import type { Meter } from '../conversation/meter.js';
import type { ChatModel, TokenCounter } from '../conversation/model.js';
import type { Store, TokenLimits } from '../conversation/store.js';
import type { Logger } from '../logger.js';

/** What a chatbot is made of; the composition root chooses each part. */
export type Dependencies = {
  store: Store;
  counter: TokenCounter;
  /** The model by name; the given default when a session has set none. */
  modelNamed: (name: string) => ChatModel;
  summaryModel: ChatModel;
  clock: Clock;
  logger: Logger;
  /** Takes measurements; nothing is measured without one. */
  meter?: Meter;
  options: Options;
};

/** The owner's choices that hold for every session. */
export type Options = {
  defaultModel: string;
  /** Models that a scope may have set, beside the default one; null allows all. */
  allowedModels: readonly string[] | null;
  temperature: number | undefined;
  maxAnswerTokens: number;
  /** Days for which messages stay after they are covered or out of reach; 0 drops covered ones at once. */
  retentionDays: number;
  /** How long a turn may take, in milliseconds. */
  turnMs: number;
  /** How long a question may wait for its turn, also over a restart, in milliseconds. */
  waitMs: number;
  /** The owner's ceilings in tokens a day; null is none. What a server sets cannot pass them. */
  ceilings: TokenLimits;
  /** Replaces the built-in instructions to the summariser. */
  summaryInstructions: string | null;
  /** How many folds run at once over all sessions. */
  foldsAtOnce: number;
  /** The first pause after a failed fold in milliseconds; it doubles up to an hour. */
  foldRetryMs: number;
};

import type { Parts } from '../chatbot/parts.js';
import type { Clock } from '../conversation/clock.js';
import type { ChatModel } from '../conversation/model.js';
import type { TokenCounter } from '../conversation/tokens.js';
import type { Store } from '../conversation/whole-store.js';

/** What a model can take: tokens of prompt and answer together, the vocabulary it is counted in, and the share kept free. */
export type ModelFigures = Pick<ChatModel, 'contextWindow' | 'encoding' | 'safety'>;

/** What a memory is made of. What is left out has the default that is named. */
export type MemoryParts = {
  store: Store;
  counter: TokenCounter;
  /** Writes the summaries; `createSummaryModel` makes one of any chat model of LangChain. */
  summaryModel: ChatModel;
  /** Where folds report what went wrong; a pino logger. */
  logger: Parts['logger'];
  /** The figures of a model by the name in `configurable.model`, `default` without; 4,096 tokens for every one. */
  figuresOf?: (model: string) => ModelFigures;
  /** Tokens kept free for what the prompt holds besides history and input, such as the persona; 500. */
  promptTokens?: number;
  /** Tokens kept free for the answer; 1,000. */
  maxAnswerTokens?: number;
  /** Replaces the instructions to the summariser. */
  summaryInstructions?: string | null;
  /** Days for which folded messages stay stored once they are covered by a summary; 30. With 0 the fold deletes them. */
  retentionDays?: number;
  /** Dates messages and summaries; the system's clock. */
  clock?: Clock;
};

const UNKNOWN_MODEL: ModelFigures = { contextWindow: 4_096, encoding: 'o200k_base', safety: 0.2 };

/** The chatbot's parts for a memory that answers through somebody else's model. */
export function partsOf(given: MemoryParts): Parts {
  const { store, counter, summaryModel, logger, clock = Date.now, figuresOf = () => UNKNOWN_MODEL } = given;
  const promptTokens = given.promptTokens ?? 500;
  return {
    store,
    counter,
    summaryModel,
    logger,
    clock,
    modelNamed: (name) => unspoken(name, figuresOf(name), promptTokens),
    options: {
      defaultModel: 'default',
      allowedModels: null,
      temperature: undefined,
      maxAnswerTokens: given.maxAnswerTokens ?? 1_000,
      retentionDays: given.retentionDays ?? 30,
      summaryInstructions: given.summaryInstructions ?? null,
      foldsAtOnce: 3,
      ceilings: { server: null, person: null },
      turnMs: Number.MAX_SAFE_INTEGER,
      waitMs: Number.MAX_SAFE_INTEGER,
      foldRetryMs: 30_000,
    },
  };
}

/** A model that is only measured, never called; what the prompt holds besides is taken off its window. */
function unspoken(id: string, figures: ModelFigures, promptTokens: number): ChatModel {
  const taken = Math.ceil(promptTokens / (1 - figures.safety));
  return {
    ...figures,
    id,
    contextWindow: Math.max(0, figures.contextWindow - taken),
    stream() {
      throw new Error(`the model ${id} is called by its own runnable`);
    },
  };
}

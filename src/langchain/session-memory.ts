import { type BaseMessage, SystemMessage } from '@langchain/core/messages';
import { createDependencies, type Dependencies } from '../chatbot/dependencies.js';
import { systemText } from '../chatbot/prompt.js';
import { recall } from '../chatbot/recall.js';
import { sweepAll } from '../chatbot/retention.js';
import type { SettingsOverride } from '../chatbot/settings.js';
import type { Clock } from '../conversation/clock.js';
import type { Message } from '../conversation/message.js';
import { NO_METER } from '../conversation/meter.js';
import type { ChatModel, TokenCounter } from '../conversation/model.js';
import type { Session } from '../conversation/session.js';
import type { Store } from '../conversation/store.js';
import { CallHistory, type CallSettings, inputText } from './call.js';
import { SessionMessageHistory, toPromptMessage } from './session-history.js';

/** What a model can take: tokens of prompt and answer together, the vocabulary it is counted in, and the share kept free. */
export type ModelFigures = Pick<ChatModel, 'contextWindow' | 'encoding' | 'safety'>;

/** What a memory is made of. What is left out has the default that is named. */
export type MemoryParts = {
  store: Store;
  counter: TokenCounter;
  /** Writes the summaries; `createSummaryModel` makes one of any chat model of LangChain. */
  summaryModel: ChatModel;
  /** Where folds report what went wrong; a pino logger. */
  logger: Dependencies['logger'];
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

/** The chatbot's dependencies for a memory that answers through somebody else's model. */
function dependenciesOf(given: MemoryParts): Dependencies {
  const { store, counter, summaryModel, logger, clock = Date.now, figuresOf = () => UNKNOWN_MODEL } = given;
  const promptTokens = given.promptTokens ?? 500;
  return createDependencies({
    store,
    counter,
    summaryModel,
    logger,
    clock,
    meter: NO_METER,
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
  });
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

/** Our memory for LangChain's runnables; one serves any number of them and of sessions. */
export type SessionMemory = {
  /** The whole history of a session, as LangChain's interface. */
  history(sessionId: string): SessionMessageHistory;
  /** What one call recalls, and where it saves; `withSessionMemory` is its caller. */
  open(call: CallSettings, input: unknown): CallHistory;
  /** Deletes, in every session of the store, what retention no longer keeps; resolves with the number of messages. */
  sweep(): Promise<number>;
  /** Resolves when no fold runs or waits its turn, or after `ms` milliseconds. */
  settled(ms: number): Promise<void>;
  /** Waits up to `ms` milliseconds for folds that run and starts no further one; store and counter stay open. */
  close(ms: number): Promise<void>;
};

/** Joins a store, a counter and a summarizing model into a memory. Folds run behind the answers. */
export function createSessionMemory(given: MemoryParts): SessionMemory {
  const deps = dependenciesOf(given);
  const { store, clock, compaction } = deps;

  const history = (sessionId: string) => new SessionMessageHistory({ store, sessionId, clock });

  function fold(call: CallSettings, session: Session): void {
    if (compaction.state(session.id).status === 'waiting-to-retry') return;
    compaction.enqueue(session, chosenBy(call));
  }

  return {
    history,
    open(call, input) {
      let session: Session = { id: call.sessionId, parentId: null, serverId: null };
      return new CallHistory({
        history: history(session.id),
        recall: async () => {
          session = (await store.findSession(session.id)) ?? session;
          return recalled(deps, call, session, input);
        },
        saved: () => fold(call, session),
      });
    },
    sweep: () => sweepAll(deps),
    settled: (ms) => compaction.settled(ms),
    close: (ms) => compaction.close(ms),
  };
}

/** A call's own settings hold for its recall and its fold; in the store they would change the session elsewhere. */
function chosenBy({ strategy, model }: CallSettings): SettingsOverride {
  return { ...(strategy !== null && { strategy }), ...(model !== null && { model }) };
}

/** The strategy's view of a session: the summary as one system message, then the messages that the plan sends. */
async function recalled(deps: Dependencies, call: CallSettings, session: Session, input: unknown) {
  const question = questionOf(session.id, inputText(input));
  // The call's runnable answers, whatever model is set for the session elsewhere.
  const override = { model: deps.options.defaultModel, ...chosenBy(call) };
  const { plan } = await recall(deps, session, [question], { override });
  const view: BaseMessage[] = plan.messages.map(toPromptMessage);
  if (plan.summary !== null) view.unshift(new SystemMessage(systemText('', plan.summary).trimStart()));
  return view;
}

/** The question as a row that is never stored, after all that are. */
function questionOf(sessionId: string, text: string): Message {
  const author = { platformId: '', authorId: '', authorName: '', quote: null, createdAt: 0 };
  const uncounted = { seq: Number.MAX_SAFE_INTEGER, tokens: null, encoding: null };
  return { sessionId, role: 'user', state: 'pending', text, ...author, ...uncounted };
}

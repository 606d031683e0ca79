import { BaseMessage, SystemMessage } from '@langchain/core/messages';
import { createDependencies, type Dependencies } from '../chatbot/dependencies.js';
import { preparePrompt } from '../chatbot/prepare-prompt.js';
import { systemText } from '../chatbot/prompt.js';
import { sweepAll } from '../chatbot/retention.js';
import { storedSession } from '../chatbot/sessions.js';
import type { SettingsOverride } from '../chatbot/settings.js';
import type { Clock } from '../conversation/clock.js';
import type { Message } from '../conversation/message.js';
import { NO_METER } from '../conversation/meter.js';
import type { ChatModel, TokenCounter } from '../conversation/model.js';
import type { Session } from '../conversation/session.js';
import type { Store } from '../conversation/store.js';
import type { CallSettings } from './call-settings.js';
import { messageText, SessionMessageHistory, toPromptMessage } from './session-history.js';
import { SingleCallHistory } from './single-call-history.js';

/** The limits of a model: tokens of prompt and answer together, the vocabulary for counts, and the share kept free. */
export type ModelFigures = Pick<ChatModel, 'contextWindow' | 'encoding' | 'safety'>;

/** The parts of a memory; an absent one has the default that is named. */
export type MemoryParts = {
  store: Store;
  counter: TokenCounter;
  /** Writes the summaries; `createSummaryModel` makes one from any chat model of LangChain. */
  summaryModel: ChatModel;
  /** Gets the errors of folds; a pino logger. */
  logger: Dependencies['logger'];
  /** The figures of a model by the name in `configurable.model`, `default` without; 4,096 tokens for every one. */
  figuresOf?: (model: string) => ModelFigures;
  /** Tokens kept free for the rest of the prompt beside history and input, such as the persona; 500. */
  promptTokens?: number;
  /** Tokens kept free for the answer; 1,000. */
  maxAnswerTokens?: number;
  /** Replaces the instructions to the summarizer. */
  summaryInstructions?: string | null;
  /** Days for which folded messages stay stored once they are covered by a summary; 30. With 0 the fold deletes them. */
  retentionDays?: number;
  /** Dates messages and summaries; the system's clock. */
  clock?: Clock;
};

const UNKNOWN_MODEL: ModelFigures = { contextWindow: 4_096, encoding: 'o200k_base', safety: 0.2 };

/** A memory for any number of LangChain's runnables and of sessions. */
export type SessionMemory = {
  /** Opens the whole history of a session behind LangChain's interface. */
  history(sessionId: string): SessionMessageHistory;
  /** Opens the history of one call, for `withSessionMemory`. */
  open(call: CallSettings, input: unknown): SingleCallHistory;
  /** Deletes, in every session of the store, what retention no longer keeps; resolves with the number of messages. */
  sweep(): Promise<number>;
  /** Resolves when no fold runs or is queued, or after `ms` milliseconds. */
  settled(ms: number): Promise<void>;
  /** Waits up to `ms` milliseconds for folds that run and starts no other one; store and counter stay open. */
  close(ms: number): Promise<void>;
};

/** Creates a memory from a store, a counter and a summarizing model. Folds run in the background. */
export function createSessionMemory(parts: MemoryParts): SessionMemory {
  const deps = dependenciesOf(parts);
  const { store, clock, compaction } = deps;

  const history = (sessionId: string) => new SessionMessageHistory({ store, sessionId, clock });

  function fold(call: CallSettings, session: Session): void {
    if (compaction.state(session.id).status === 'waiting-to-retry') return;
    compaction.enqueue(session, overrideOf(call));
  }

  return {
    history,
    open(call, input) {
      let session: Session = { id: call.sessionId, parentId: null, serverId: null };
      return new SingleCallHistory({
        history: history(session.id),
        recall: async () => {
          session = await storedSession(store, session);
          return recallMessages(deps, call, session, input);
        },
        onSaved: () => fold(call, session),
      });
    },
    sweep: () => sweepAll(deps),
    settled: (ms) => compaction.settled(ms),
    close: (ms) => compaction.close(ms),
  };
}

/** A call's settings apply to its recall and its fold only; stored, they would change the session for other calls. */
function overrideOf({ strategy, model }: CallSettings): SettingsOverride {
  return { ...(strategy !== null && { strategy }), ...(model !== null && { model }) };
}

/** Returns the summary as one system message, then the messages that the plan sends. */
async function recallMessages(deps: Dependencies, call: CallSettings, session: Session, input: unknown) {
  const question = questionRow(session.id, inputText(input));
  // The call's runnable answers, whatever model is set for the session.
  const override = { model: deps.options.defaultModel, ...overrideOf(call) };
  const { plan } = await preparePrompt(deps, session, [question], { override });
  const messages: BaseMessage[] = plan.messages.map(toPromptMessage);
  if (plan.summary !== null) messages.unshift(new SystemMessage(systemText('', plan.summary).trimStart()));
  return messages;
}

/** Collects all text of a runnable's input, of every message and template variable, so that its tokens are kept free. */
function inputText(input: unknown): string {
  if (typeof input === 'string') return input;
  if (BaseMessage.isInstance(input)) return messageText(input);
  if (Array.isArray(input)) return input.map(inputText).join('\n');
  if (typeof input === 'object' && input !== null) return Object.values(input).map(inputText).join('\n');
  return input === undefined || input === null ? '' : String(input);
}

/** The row is never stored; its `seq` is after those of all stored rows. */
function questionRow(sessionId: string, text: string): Message {
  const author = { platformId: '', authorId: '', authorName: '', quote: null, createdAt: 0 };
  const uncounted = { seq: Number.MAX_SAFE_INTEGER, tokens: null, encoding: null };
  return { sessionId, role: 'user', state: 'pending', text, ...author, ...uncounted };
}

/** The calls' own runnables answer, so the chatbot's models are only measured. */
function dependenciesOf(parts: MemoryParts): Dependencies {
  const { store, counter, summaryModel, logger, clock = Date.now, figuresOf = () => UNKNOWN_MODEL } = parts;
  const promptTokens = parts.promptTokens ?? 500;
  return createDependencies({
    store,
    counter,
    summaryModel,
    logger,
    clock,
    meter: NO_METER,
    modelNamed: (name) => measuredModel(name, figuresOf(name), promptTokens),
    options: {
      defaultModel: 'default',
      allowedModels: null,
      temperature: undefined,
      maxAnswerTokens: parts.maxAnswerTokens ?? 1_000,
      retentionDays: parts.retentionDays ?? 30,
      summaryInstructions: parts.summaryInstructions ?? null,
      foldsAtOnce: 3,
      ceilings: { server: null, person: null },
      turnMs: Number.MAX_SAFE_INTEGER,
      waitMs: Number.MAX_SAFE_INTEGER,
      foldRetryMs: 30_000,
    },
  });
}

/** The tokens of the rest of the prompt are taken off the window. */
function measuredModel(id: string, figures: ModelFigures, promptTokens: number): ChatModel {
  const reserved = Math.ceil(promptTokens / (1 - figures.safety));
  return {
    ...figures,
    id,
    contextWindow: Math.max(0, figures.contextWindow - reserved),
    stream() {
      throw new Error(`the model ${id} is called by its own runnable`);
    },
  };
}

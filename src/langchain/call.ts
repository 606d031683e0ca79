import { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import { BaseMessage, SystemMessage } from '@langchain/core/messages';
import { closestMatch } from '../conversation/closest-match.js';
import { badOption, StorageError } from '../conversation/errors.js';
import { type Strategy, type StrategyName, strategySchema } from '../conversation/settings.js';
import { parseStrategy, STRATEGY_OPTIONS } from '../memory/strategy-options.js';
import { messageText, type SessionMessageHistory } from './session-history.js';

/** The settings of one call; null leaves a setting to what is set for the session, or to the default. */
export type CallSettings = { sessionId: string; strategy: Strategy | null; model: string | null };

const EXAMPLE = 'chain.invoke(input, { configurable: { sessionId: "ada", strategy: "window", k: 8 } })';

/**
 * Reads `configurable.{sessionId, strategy, k, model}`. `strategy` is a name, with the defaults of its command, or a whole
 * strategy; `k` alone means `window`.
 * @throws {CommandError} `bad-option`, in a sentence that says what to do and shows a call.
 */
export function readCallSettings(configurable: Readonly<Record<string, unknown>> | undefined): CallSettings {
  const { sessionId, strategy, k, model } = configurable ?? {};
  if (typeof sessionId !== 'string' || sessionId === '') {
    throw badOption(`\`configurable.sessionId\` is missing: say whose memory is meant, as in \`${EXAMPLE}\`.`);
  }
  if (model !== undefined && (typeof model !== 'string' || model === '')) {
    throw badOption(`\`configurable.model\` must be a model's name, as in \`model: "gpt-4o-mini"\`.`);
  }
  return { sessionId, strategy: readStrategy(strategy, k), model: model ?? null };
}

function readStrategy(strategy: unknown, k: unknown): Strategy | null {
  const options = k === undefined ? {} : { k: k as number };
  if (strategy === undefined) return k === undefined ? null : parseStrategy('window', options);
  if (typeof strategy === 'string') return parseStrategy(strategyNamed(strategy), options);
  if (k !== undefined)
    throw badOption('`configurable.k` goes with the name of a strategy; put it into the strategy itself.');
  const parsed = strategySchema.safeParse(strategy);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = ['strategy', ...(issue?.path ?? [])].join('.');
  throw badOption(
    `\`configurable.${place}\` is wrong (${issue?.message ?? 'not valid'}); a name works too: \`${EXAMPLE}\`.`,
  );
}

function strategyNamed(name: string): StrategyName {
  const names = Object.keys(STRATEGY_OPTIONS) as StrategyName[];
  const exact = names.find((candidate) => candidate === name);
  if (exact !== undefined) return exact;
  const suggestion = closestMatch(name, names);
  const hint =
    suggestion === null
      ? `it is one of ${names.map((candidate) => `\`${candidate}\``).join(', ')}`
      : `did you mean \`${suggestion}\`?`;
  throw badOption(`\`configurable.strategy\` names no strategy; ${hint}`);
}

type CallHistoryFields = {
  history: SessionMessageHistory;
  /** Recalls what the call's strategy selects. */
  recall: () => Promise<BaseMessage[]>;
  /** Called once the call's messages are durable. */
  onSaved: () => void;
};

/**
 * The history of one call. It recalls once and returns the same list again, even if the session has changed since:
 * RunnableWithMessageHistory uses the length of the list to separate history from input.
 */
export class CallHistory extends BaseListChatMessageHistory {
  readonly lc_namespace = ['keepsake', 'langchain'];
  readonly #fields: CallHistoryFields;
  #recalled: Promise<BaseMessage[]> | null = null;
  #state: 'unsaved' | 'saved' | { error: unknown } = 'unsaved';

  constructor(fields: CallHistoryFields) {
    super();
    this.#fields = fields;
  }

  async getMessages(): Promise<BaseMessage[]> {
    this.#recalled ??= this.#fields.recall();
    return [...(await this.#recalled)];
  }

  addMessage(message: BaseMessage): Promise<void> {
    return this.addMessages([message]);
  }

  /** Stores messages without system messages, which belong to the prompt of their call. It never rejects; see `checkSaved`. */
  override async addMessages(messages: readonly BaseMessage[]): Promise<void> {
    try {
      await this.#fields.history.addMessages(messages.filter((message) => !SystemMessage.isInstance(message)));
      this.#state = 'saved';
      this.#fields.onSaved();
    } catch (error) {
      this.#state = { error };
    }
  }

  override clear(): Promise<void> {
    return this.#fields.history.clear();
  }

  /** @throws the error that kept the messages from being stored, which RunnableWithMessageHistory would only print. */
  checkSaved(): void {
    if (this.#state === 'saved') return;
    if (this.#state !== 'unsaved') throw this.#state.error;
    throw new StorageError(
      'storage',
      'The answer was not saved, since it is neither a text nor a message; name the part that is with `outputMessagesKey`.',
    );
  }
}

/** Collects all text of a runnable's input, of every message and template variable, so that its tokens are kept free. */
export function inputText(input: unknown): string {
  if (typeof input === 'string') return input;
  if (BaseMessage.isInstance(input)) return messageText(input);
  if (Array.isArray(input)) return input.map(inputText).join('\n');
  if (typeof input === 'object' && input !== null) return Object.values(input).map(inputText).join('\n');
  return input === undefined || input === null ? '' : String(input);
}

import { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import { BaseMessage, SystemMessage } from '@langchain/core/messages';
import { closestMatch } from '../conversation/closest-match.js';
import { CommandError, StorageError } from '../conversation/errors.js';
import { type Strategy, type StrategyName, strategySchema } from '../conversation/settings.js';
import { parseStrategy, STRATEGY_OPTIONS } from '../memory/strategy-options.js';
import { messageText, type SessionMessageHistory } from './session-history.js';

/** What one call chose; null leaves it to what is set for the session, or to the default. */
export type CallSettings = { sessionId: string; strategy: Strategy | null; model: string | null };

const EXAMPLE = 'chain.invoke(input, { configurable: { sessionId: "ada", strategy: "window", k: 8 } })';

/**
 * Reads `configurable.{sessionId, strategy, k, model}`. `strategy` is a name, with the defaults of its command, or a
 * whole strategy; `k` alone means `window`.
 * @throws {CommandError} `bad-option`, in a sentence that names the mend and shows a call.
 */
export function readCallSettings(configurable: Readonly<Record<string, unknown>> | undefined): CallSettings {
  const { sessionId, strategy, k, model } = configurable ?? {};
  if (typeof sessionId !== 'string' || sessionId === '') {
    throw refuse(`\`configurable.sessionId\` is missing: say whose memory is meant, as in \`${EXAMPLE}\`.`);
  }
  if (model !== undefined && (typeof model !== 'string' || model === '')) {
    throw refuse(`\`configurable.model\` must be a model's name, as in \`model: "gpt-4o-mini"\`.`);
  }
  return { sessionId, strategy: readStrategy(strategy, k), model: model ?? null };
}

function readStrategy(strategy: unknown, k: unknown): Strategy | null {
  const given = k === undefined ? {} : { k: k as number };
  if (strategy === undefined) return k === undefined ? null : parseStrategy('window', given);
  if (typeof strategy === 'string') return parseStrategy(knownName(strategy), given);
  if (k !== undefined)
    throw refuse('`configurable.k` goes with the name of a strategy; put it into the strategy itself.');
  const parsed = strategySchema.safeParse(strategy);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = ['strategy', ...(issue?.path ?? [])].join('.');
  throw refuse(
    `\`configurable.${place}\` is wrong (${issue?.message ?? 'not valid'}); a name works too: \`${EXAMPLE}\`.`,
  );
}

function knownName(name: string): StrategyName {
  const names = Object.keys(STRATEGY_OPTIONS) as StrategyName[];
  const known = names.find((each) => each === name);
  if (known !== undefined) return known;
  const meant = closestMatch(name, names);
  const hint =
    meant === null ? `it is one of ${names.map((each) => `\`${each}\``).join(', ')}` : `did you mean \`${meant}\`?`;
  throw refuse(`\`configurable.strategy\` names no strategy; ${hint}`);
}

function refuse(sentence: string): CommandError {
  return new CommandError('bad-option', sentence);
}

/** How a call's history reads and writes. */
type CallHistoryFields = {
  history: SessionMessageHistory;
  /** What the call's strategy brings back. */
  recall: () => Promise<BaseMessage[]>;
  /** Called once the call's messages are durable. */
  saved: () => void;
};

/**
 * The history of one call: it reads once what the strategy recalls, and gives the same list again however the session
 * goes on meanwhile, since RunnableWithMessageHistory cuts the call's input by its length.
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

  /** Saves what was said; system messages belong to the prompt of their call and are left out. It never rejects. */
  override async addMessages(messages: readonly BaseMessage[]): Promise<void> {
    try {
      await this.#fields.history.addMessages(messages.filter((message) => !SystemMessage.isInstance(message)));
      this.#state = 'saved';
      this.#fields.saved();
    } catch (error) {
      this.#state = { error };
    }
  }

  override clear(): Promise<void> {
    return this.#fields.history.clear();
  }

  /** @throws what kept the messages from being stored, which RunnableWithMessageHistory alone would only have printed. */
  checkSaved(): void {
    if (this.#state === 'saved') return;
    if (this.#state !== 'unsaved') throw this.#state.error;
    throw new StorageError(
      'storage',
      'The answer was not saved, since it is neither a text nor a message; name the part that is with `outputMessagesKey`.',
    );
  }
}

/** All text of a runnable's input, so that its tokens can be kept free: of every message and every template variable. */
export function inputText(input: unknown): string {
  if (typeof input === 'string') return input;
  if (BaseMessage.isInstance(input)) return messageText(input);
  if (Array.isArray(input)) return input.map(inputText).join('\n');
  if (typeof input === 'object' && input !== null) return Object.values(input).map(inputText).join('\n');
  return input === undefined || input === null ? '' : String(input);
}

import { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import { type BaseMessage, SystemMessage } from '@langchain/core/messages';
import { StorageError } from '../conversation/errors.js';
import type { SessionMessageHistory } from './session-history.js';

/** How a call's history reads and writes. */
export type CallHistoryFields = {
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

import { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import { type BaseMessage, SystemMessage } from '@langchain/core/messages';
import { StorageError } from '../conversation/errors.js';
import type { SessionMessageHistory } from './session-history.js';

type SingleCallHistoryFields = {
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
export class SingleCallHistory extends BaseListChatMessageHistory {
  readonly lc_namespace = ['keepsake', 'langchain'];
  readonly #fields: SingleCallHistoryFields;
  #recalled: Promise<BaseMessage[]> | null = null;
  #state: 'unsaved' | 'saved' | { error: unknown } = 'unsaved';

  constructor(fields: SingleCallHistoryFields) {
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

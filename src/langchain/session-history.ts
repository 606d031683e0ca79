import { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import type { BaseMessage } from '@langchain/core/messages';
import type { Clock } from '../conversation/clock.js';
import { CommandError } from '../conversation/errors.js';
import type { Store } from '../conversation/whole-store.js';
import { toChatMessages, toRows } from './message-rows.js';

/** Which session of which store; the clock dates what is added. */
export type SessionHistoryFields = { store: Store; sessionId: string; clock?: Clock };

/**
 * LangChain's chat history over a session of our store: everything stored and settled, in order, whatever strategy the
 * session goes by. Lists and messages that it gives are copies. What is not a person's or the model's text is refused.
 */
export class SessionMessageHistory extends BaseListChatMessageHistory {
  readonly lc_namespace = ['keepsake', 'langchain'];
  readonly #store: Store;
  readonly #sessionId: string;
  readonly #clock: Clock;

  /** @throws {CommandError} when the session id is not a text. */
  constructor({ store, sessionId, clock = Date.now }: SessionHistoryFields) {
    super();
    if (typeof sessionId !== 'string' || sessionId === '') {
      throw new CommandError('bad-option', 'A chat history needs a `sessionId`, such as "terminal:ada".');
    }
    this.#store = store;
    this.#sessionId = sessionId;
    this.#clock = clock;
  }

  /** All messages, oldest first; those that wait for an answer are left out. */
  async getMessages(): Promise<BaseMessage[]> {
    const { messages } = await this.#store.loadHistory(this.#sessionId, { summary: false });
    return toChatMessages(messages);
  }

  /** Stores one message, unless one with its id is stored already. */
  addMessage(message: BaseMessage): Promise<void> {
    return this.addMessages([message]);
  }

  /** Stores messages in order, all or none; those whose id is stored already are left out. */
  override async addMessages(messages: readonly BaseMessage[]): Promise<void> {
    const rows = toRows(this.#sessionId, messages, this.#clock());
    if (rows.length > 0) await this.#store.appendAll(rows);
  }

  /** Erases the session's messages and summaries. */
  override async clear(): Promise<void> {
    await this.#store.forgetSession(this.#sessionId);
  }
}

import { randomUUID } from 'node:crypto';
import { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import { AIMessage, type BaseMessage, ChatMessage, HumanMessage } from '@langchain/core/messages';
import type { Clock } from '../conversation/clock.js';
import { badOption, type CommandError } from '../conversation/errors.js';
import { type Message, type NewMessage, type Role, renderLine } from '../conversation/message.js';
import type { Store } from '../conversation/store.js';

const MEDIA = /^(?:input_)?(?<kind>image|audio|video|file)/u;

/**
 * Separates a question's id from its answer's in the answer's platform id. Some endpoints give every answer the same id; with
 * the question's id in front, such answers differ, and an answer that is saved twice is still recognized.
 */
const ID_SEPARATOR = '\u001f';

/** The session, its store, and the clock that dates new messages. */
export type SessionHistoryFields = { store: Store; sessionId: string; clock?: Clock };

/**
 * LangChain's chat history over a session of our store: every settled message, in order, whatever the session's strategy.
 * Returned lists and messages are copies. Messages that are neither a person's nor the model's text are refused.
 */
export class SessionMessageHistory extends BaseListChatMessageHistory {
  readonly lc_namespace = ['keepsake', 'langchain'];
  readonly #store: Store;
  readonly #sessionId: string;
  readonly #clock: Clock;

  /** @throws {CommandError} when the session id is missing or not a string. */
  constructor({ store, sessionId, clock = Date.now }: SessionHistoryFields) {
    super();
    if (typeof sessionId !== 'string' || sessionId === '') {
      throw badOption('A chat history needs a `sessionId`, such as "terminal:ada".');
    }
    this.#store = store;
    this.#sessionId = sessionId;
    this.#clock = clock;
  }

  /** Returns all messages, oldest first, without pending ones. */
  async getMessages(): Promise<BaseMessage[]> {
    const { messages } = await this.#store.loadHistory(this.#sessionId, { summary: false });
    return toChatMessages(messages);
  }

  /** Stores a message, unless one with its id is stored already. */
  addMessage(message: BaseMessage): Promise<void> {
    return this.addMessages([message]);
  }

  /**
   * Stores messages in order, all or none; skips those whose id is stored already.
   * @throws {CommandError} when one is neither a person's nor the model's text; none is stored then.
   */
  override async addMessages(messages: readonly BaseMessage[]): Promise<void> {
    const rows = toRows(this.#sessionId, messages, this.#clock());
    if (rows.length > 0) await this.#store.appendAll(rows);
  }

  /** Erases the session's messages and summaries. */
  override async clear(): Promise<void> {
    await this.#store.forgetSession(this.#sessionId);
  }
}

/** Extracts a message's text: its text blocks joined, pictures and files as a visible mark, without reasoning. */
export function messageText({ content }: Pick<BaseMessage, 'content'>): string {
  if (typeof content === 'string') return content;
  return content.map((block) => blockText(block as { type?: unknown; text?: unknown })).join('');
}

function blockText({ type, text }: { type?: unknown; text?: unknown }): string {
  if (type === 'text') return typeof text === 'string' ? text : '';
  const kind = typeof type === 'string' ? MEDIA.exec(type)?.groups?.kind : undefined;
  return kind === undefined ? '' : `[${kind}]`;
}

/** Converts messages that are saved together; ids and names are kept, a message without an id gets one. */
function toRows(sessionId: string, messages: readonly BaseMessage[], createdAt: number): NewMessage[] {
  let question: string | null = null;
  return messages.map((message) => {
    const role = roleOf(message);
    const id = message.id || randomUUID();
    const platformId = role === 'user' || question === null ? id : `${question}${ID_SEPARATOR}${id}`;
    if (role === 'user') question = id;
    const authorName = message.name ?? '';
    return {
      sessionId,
      platformId,
      role,
      authorId: `langchain:${authorName || role}`,
      authorName,
      text: messageText(message),
      quote: null,
      createdAt,
      state: 'answered',
    };
  });
}

/** Creates new objects, each with a unique id. */
function toChatMessages(rows: readonly Message[]): BaseMessage[] {
  const questions = new Set(rows.filter(({ role }) => role === 'user').map(({ platformId }) => platformId));
  return rows.map(({ role, platformId, authorName, text }) => {
    const named = authorName === '' ? {} : { name: authorName };
    if (role === 'user') return new HumanMessage({ content: text, id: platformId, ...named });
    const own = platformId.slice(platformId.lastIndexOf(ID_SEPARATOR) + 1);
    return new AIMessage({ content: text, id: questions.has(own) ? `${own}-answer` : own, ...named });
  });
}

/** Converts a row for a prompt: the speaker is named in the text, never in the `name` field, and no id is sent. */
export function toPromptMessage(row: Message): BaseMessage {
  return row.role === 'user' ? new HumanMessage(renderLine(row)) : new AIMessage(renderLine(row));
}

function roleOf(message: BaseMessage): Role {
  const type = ChatMessage.isInstance(message) ? message.role : message.getType();
  if (type === 'human' || type === 'user') return 'user';
  if (type === 'ai' || type === 'assistant') {
    if (AIMessage.isInstance(message) && (message.tool_calls?.length ?? 0) > 0) throw toolError('a tool call');
    return 'assistant';
  }
  if (type === 'tool' || type === 'function') throw toolError('a tool result');
  throw badOption(
    `A chat history keeps what people and the model said, not a \`${type}\` message; put it into the prompt instead, ` +
      'as in `ChatPromptTemplate.fromMessages([["system", "…"], new MessagesPlaceholder("history"), ["human", "{question}"]])`.',
  );
}

function toolError(content: string): CommandError {
  return badOption(
    `A chat history keeps what people and the model said, not ${content}; save the final answer alone, for instance by ` +
      'ending the chain with `(result) => result.messages.at(-1)`.',
  );
}

import { randomUUID } from 'node:crypto';
import { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import { AIMessage, type BaseMessage, ChatMessage, HumanMessage } from '@langchain/core/messages';
import type { Clock } from '../conversation/clock.js';
import { CommandError } from '../conversation/errors.js';
import { type Message, type NewMessage, type Role, renderLine } from '../conversation/message.js';
import type { Store } from '../conversation/store.js';

const MEDIA = /^(?:input_)?(?<kind>image|audio|video|file)/u;

/** A message's text: its text blocks joined, pictures and files as a visible mark, reasoning left out. */
export function messageText({ content }: Pick<BaseMessage, 'content'>): string {
  if (typeof content === 'string') return content;
  return content.map((block) => blockText(block as { type?: unknown; text?: unknown })).join('');
}

function blockText({ type, text }: { type?: unknown; text?: unknown }): string {
  if (type === 'text') return typeof text === 'string' ? text : '';
  const kind = typeof type === 'string' ? MEDIA.exec(type)?.groups?.kind : undefined;
  return kind === undefined ? '' : `[${kind}]`;
}

/**
 * Between an answer's question and its own id. Endpoints are known that give every answer the same id; with the
 * question's before it, such an answer is still told from the earlier ones, and one that is saved twice is not.
 */
const ID_SEPARATOR = '\u001f';

/**
 * The rows of messages that are saved together; ids and names are kept, a message without an id gets one.
 * @throws {CommandError} when one of them is neither a person's nor the model's text; then none may be stored.
 */
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

/** Stored rows as LangChain's messages, new objects, each with an id of its own. */
function toChatMessages(rows: readonly Message[]): BaseMessage[] {
  const questions = new Set(rows.filter(({ role }) => role === 'user').map(({ platformId }) => platformId));
  return rows.map(({ role, platformId, authorName, text }) => {
    const named = authorName === '' ? {} : { name: authorName };
    if (role === 'user') return new HumanMessage({ content: text, id: platformId, ...named });
    const own = platformId.slice(platformId.lastIndexOf(ID_SEPARATOR) + 1);
    return new AIMessage({ content: text, id: questions.has(own) ? `${own}-answer` : own, ...named });
  });
}

/** A row as the model reads it: the speaker is named in the text, never in the `name` field, and no id is sent. */
export function toPromptMessage(row: Message): BaseMessage {
  return row.role === 'user' ? new HumanMessage(renderLine(row)) : new AIMessage(renderLine(row));
}

function roleOf(message: BaseMessage): Role {
  const type = ChatMessage.isInstance(message) ? message.role : message.getType();
  if (type === 'human' || type === 'user') return 'user';
  if (type === 'ai' || type === 'assistant') {
    if (AIMessage.isInstance(message) && (message.tool_calls?.length ?? 0) > 0) throw refuseTools('a tool call');
    return 'assistant';
  }
  if (type === 'tool' || type === 'function') throw refuseTools('a tool result');
  throw new CommandError(
    'bad-option',
    `A chat history keeps what people and the model said, not a \`${type}\` message; put it into the prompt instead, ` +
      'as in `ChatPromptTemplate.fromMessages([["system", "…"], new MessagesPlaceholder("history"), ["human", "{question}"]])`.',
  );
}

function refuseTools(what: string): CommandError {
  return new CommandError(
    'bad-option',
    `A chat history keeps what people and the model said, not ${what}; save the final answer alone, for instance by ` +
      'ending the chain with `(result) => result.messages.at(-1)`.',
  );
}

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

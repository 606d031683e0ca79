import { randomUUID } from 'node:crypto';
import { AIMessage, type BaseMessage, ChatMessage, HumanMessage } from '@langchain/core/messages';
import { CommandError } from '../conversation/errors.js';
import { type Message, type NewMessage, type Role, renderLine } from '../conversation/message.js';
import { messageText } from './message-text.js';

/**
 * Between an answer's question and its own id. Endpoints are known that give every answer the same id; with the
 * question's before it, such an answer is still told from the earlier ones, and one that is saved twice is not.
 */
const ID_SEPARATOR = '\u001f';

/**
 * The rows of messages that are saved together; ids and names are kept, a message without an id gets one.
 * @throws {CommandError} when one of them is neither a person's nor the model's text; then none may be stored.
 */
export function toRows(sessionId: string, messages: readonly BaseMessage[], createdAt: number): NewMessage[] {
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
export function toChatMessages(rows: readonly Message[]): BaseMessage[] {
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

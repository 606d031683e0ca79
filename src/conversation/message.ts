import type { Session } from './session.js';

/** Who speaks in the model's eyes. */
export type Role = 'user' | 'assistant';

/**
 * What became of a message: `heard` (talk that nobody addressed to the bot), `pending` (waits for its answer, or is
 * an answer that is still being delivered), `answered`, `failed` (its turn ended without an answer).
 */
export type MessageState = 'heard' | 'pending' | 'answered' | 'failed';

/** The message that a reply points to; it is the only text of another message that a row may carry. */
export type Quote = { platformId: string; authorId: string; authorName: string; text: string };

/** What a door takes in: one message of a person, and whether the bot is meant by it. */
export type UserMessage = {
  session: Session;
  platformId: string;
  authorId: string;
  authorName: string;
  text: string;
  quote: Quote | null;
  createdAt: number;
  addressed: boolean;
};

/** A message before the store has numbered it. `createdAt` is in milliseconds since 1970. */
export type NewMessage = {
  sessionId: string;
  /** The platform's message id; an answer carries the id of the question that triggered it. */
  platformId: string;
  role: Role;
  authorId: string;
  authorName: string;
  text: string;
  quote: Quote | null;
  createdAt: number;
  state: MessageState;
};

/** A stored message. `seq` rises over the whole store; `tokens` is null until the count of its rendered line is known. */
export type Message = NewMessage & { seq: number; tokens: number | null; encoding: string | null };

/** A count that follows its message. */
export type TokenCount = {
  seq: number;
  tokens: number;
  encoding: string;
  /** What was counted; when it is given, the count is void for a message whose text or quote is another by now. */
  of?: CountedText;
};

/** The texts of a message that a count depends on and that may change. */
type CountedText = { text: string; quoteText: string | null };

/** What a count of a message as it is now is a count of. */
export function countedTextOf({ text, quote }: Pick<NewMessage, 'text' | 'quote'>): CountedText {
  return { text, quoteText: quote?.text ?? null };
}

/** One line of the transcript as the model reads it: speakers are named in the text, answers are not. */
export function renderLine(message: Pick<NewMessage, 'role' | 'authorName' | 'text' | 'quote'>): string {
  if (message.role === 'assistant') return message.text;
  const said = message.authorName === '' ? message.text : `${message.authorName}: ${message.text}`;
  if (message.quote === null) return said;
  return `[replying to ${message.quote.authorName}: ${message.quote.text.replace(/\s+/gu, ' ')}]\n${said}`;
}

/** Tokens that a chat format adds around each message, as an upper bound (OpenAI's cookbook counts 3 to 4). */
export const MESSAGE_OVERHEAD = 4;

/** Text as it may be stored: well-formed UTF-16 without NUL, which SQLite's text functions stop at. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

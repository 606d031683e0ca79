import type { Session } from './session.js';

/** A message's role in the chat format. */
export type Role = 'user' | 'assistant';

/**
 * The state of a message: `heard` (talk that nobody addressed to the bot), `pending` (a question that waits for its answer,
 * or an answer that is still being delivered), `answered`, `failed` (its turn ended without an answer).
 */
export type MessageState = 'heard' | 'pending' | 'answered' | 'failed';

/** The message that a reply points to; it is the only text of another message that a row may carry. */
export type Quote = { platformId: string; authorId: string; authorName: string; text: string };

/** A message of a person as a platform receives it; `addressed` tells whether it is meant for the bot. */
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
  /** The texts that were counted; a count is discarded when the message has another text or quote by now. */
  countedText?: CountedText;
};

/** The texts of a message that a count depends on and that may change. */
type CountedText = { text: string; quoteText: string | null };

/** Takes from a message the texts that its count depends on. */
export function countedTextOf({ text, quote }: Pick<NewMessage, 'text' | 'quote'>): CountedText {
  return { text, quoteText: quote?.text ?? null };
}

/** Renders a message as the model reads it: speakers are named in the text, answers are not. */
export function renderLine(message: Pick<NewMessage, 'role' | 'authorName' | 'text' | 'quote'>): string {
  if (message.role === 'assistant') return message.text;
  const line = message.authorName === '' ? message.text : `${message.authorName}: ${message.text}`;
  if (message.quote === null) return line;
  return `[replying to ${message.quote.authorName}: ${message.quote.text.replace(/\s+/gu, ' ')}]\n${line}`;
}

/** The mark that stands in a shortened text for the characters that are missing. */
export function cutMark(missing: number): string {
  return `[… ${missing} characters left out …]`;
}

const CUT_MARK = / ?\[… \d+ characters left out …\] ?/gu;

/** Puts the end of a line in the place of cut marks, which nobody said. */
export function withoutCutMarks(text: string): string {
  return text.replace(CUT_MARK, '\n');
}

/** Tokens that a chat format adds around each message, as an upper bound (OpenAI's cookbook counts 3 to 4). */
export const MESSAGE_OVERHEAD = 4;

/** Makes a text storable: well-formed UTF-16 without NUL, which SQLite's text functions stop at. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

import type { Message, NewMessage, Quote } from '../../conversation/message.js';
import { cleanText } from '../../conversation/message.js';
import type { messages } from './schema.js';

type MessageRow = typeof messages.$inferSelect;
type QuoteColumns = Pick<MessageRow, 'quotePlatformId' | 'quoteAuthorId' | 'quoteAuthorName' | 'quoteText'>;

/** A message as it is read back: the row with its quote folded into an object. */
export function toMessage(row: MessageRow): Message {
  const { quotePlatformId, quoteAuthorId, quoteAuthorName, quoteText, ...rest } = row;
  return { ...rest, quote: toQuote({ quotePlatformId, quoteAuthorId, quoteAuthorName, quoteText }) };
}

/** The row of a message that is stored under `seq`, its texts cleaned. */
export function toRow(message: NewMessage, seq: number): MessageRow {
  const { quote, text, authorName, ...rest } = message;
  return {
    ...rest,
    seq,
    text: cleanText(text),
    authorName: cleanText(authorName),
    ...quoteColumns(quote),
    tokens: null,
    encoding: null,
  };
}

function toQuote(row: QuoteColumns): Quote | null {
  if (row.quotePlatformId === null || row.quoteText === null) return null;
  return {
    platformId: row.quotePlatformId,
    authorId: row.quoteAuthorId ?? '',
    authorName: row.quoteAuthorName ?? '',
    text: row.quoteText,
  };
}

function quoteColumns(quote: Quote | null): QuoteColumns {
  return {
    quotePlatformId: quote?.platformId ?? null,
    quoteAuthorId: quote?.authorId ?? null,
    quoteAuthorName: quote === null ? null : cleanText(quote.authorName),
    quoteText: quote === null ? null : cleanText(quote.text),
  };
}

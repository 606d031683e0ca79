import { getTableColumns } from 'drizzle-orm';
import type { Message, NewMessage, Quote } from '../../conversation/message.js';
import { cleanText } from '../../conversation/message.js';
import { messages } from './schema.js';

type MessageRow = typeof messages.$inferSelect;

/** Where each column stands in a row that is read as a list of values. */
const AT = Object.fromEntries(Object.keys(getTableColumns(messages)).map((name, index) => [name, index])) as Record<
  keyof MessageRow,
  number
>;

/** Messages of rows read as lists of values; the query builder would take as long to make objects as the reading takes. */
export function toMessages(lines: readonly unknown[][]): Message[] {
  return lines.map((values) => {
    const cell = <K extends keyof MessageRow>(name: K) => values[AT[name]] as MessageRow[K];
    return {
      seq: cell('seq'),
      sessionId: cell('sessionId'),
      platformId: cell('platformId'),
      role: cell('role'),
      authorId: cell('authorId'),
      authorName: cell('authorName'),
      text: cell('text'),
      createdAt: cell('createdAt'),
      state: cell('state'),
      tokens: cell('tokens'),
      encoding: cell('encoding'),
      quote: toQuote({
        quotePlatformId: cell('quotePlatformId'),
        quoteAuthorId: cell('quoteAuthorId'),
        quoteAuthorName: cell('quoteAuthorName'),
        quoteText: cell('quoteText'),
      }),
    };
  });
}

/** A message as it is read back: the row with its quote folded into an object. Spelt out, since it runs for every row. */
export function toMessage(row: MessageRow): Message {
  return {
    seq: row.seq,
    sessionId: row.sessionId,
    platformId: row.platformId,
    role: row.role,
    authorId: row.authorId,
    authorName: row.authorName,
    text: row.text,
    quote: toQuote(row),
    createdAt: row.createdAt,
    state: row.state,
    tokens: row.tokens,
    encoding: row.encoding,
  };
}

/** The row of a message that is stored under `seq`, its texts cleaned. */
export function toRow(message: NewMessage, seq: number): MessageRow {
  return {
    seq,
    sessionId: message.sessionId,
    platformId: message.platformId,
    role: message.role,
    authorId: message.authorId,
    authorName: cleanText(message.authorName),
    text: cleanText(message.text),
    quotePlatformId: message.quote?.platformId ?? null,
    quoteAuthorId: message.quote?.authorId ?? null,
    quoteAuthorName: message.quote === null ? null : cleanText(message.quote.authorName),
    quoteText: message.quote === null ? null : cleanText(message.quote.text),
    createdAt: message.createdAt,
    state: message.state,
    tokens: null,
    encoding: null,
  };
}

function toQuote(row: MessageRow): Quote | null {
  if (row.quotePlatformId === null || row.quoteText === null) return null;
  return {
    platformId: row.quotePlatformId,
    authorId: row.quoteAuthorId ?? '',
    authorName: row.quoteAuthorName ?? '',
    text: row.quoteText,
  };
}

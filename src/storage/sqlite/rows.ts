import { getTableColumns } from 'drizzle-orm';
import type { Message, NewMessage, Quote } from '../../conversation/message.js';
import { cleanText } from '../../conversation/message.js';
import { messages } from './schema.js';

type MessageRow = typeof messages.$inferSelect;

const NAMES = Object.keys(getTableColumns(messages));

/** Rows of values, in the order of the schema, as objects; the query builder would take as long over this as the reading. */
export function toRows(lines: readonly unknown[][]): MessageRow[] {
  return lines.map((values) => {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < NAMES.length; i += 1) row[NAMES[i] ?? ''] = values[i];
    return row as MessageRow;
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

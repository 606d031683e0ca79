import { getTableColumns } from 'drizzle-orm';
import type { Message, NewMessage, Quote } from '../../conversation/message.js';
import { cleanText } from '../../conversation/message.js';
import { messages } from './schema.js';

/** A row as it is stored. */
export type MessageRow = typeof messages.$inferSelect;

type Cell = <K extends keyof MessageRow>(column: K) => MessageRow[K];

/** Where each column stands in a row that is read as a list of values. */
const AT = Object.fromEntries(Object.keys(getTableColumns(messages)).map((name, index) => [name, index])) as Record<
  keyof MessageRow,
  number
>;

/** A message as it is read back: the row with its quote folded into an object. */
export function toMessage(row: MessageRow): Message {
  return messageOf((column) => row[column]);
}

/** Messages of rows read as lists of values; the query builder would take as long to make objects as the reading takes. */
export function toMessages(lines: readonly unknown[][]): Message[] {
  return lines.map((values) => messageOf((column) => values[AT[column]] as MessageRow[typeof column]));
}

/** Spelt out, since it runs for every row. */
function messageOf(cell: Cell): Message {
  return {
    seq: cell('seq'),
    sessionId: cell('sessionId'),
    platformId: cell('platformId'),
    role: cell('role'),
    authorId: cell('authorId'),
    authorName: cell('authorName'),
    text: cell('text'),
    quote: quoteOf(cell),
    createdAt: cell('createdAt'),
    state: cell('state'),
    tokens: cell('tokens'),
    encoding: cell('encoding'),
  };
}

function quoteOf(cell: Cell): Quote | null {
  const platformId = cell('quotePlatformId');
  const text = cell('quoteText');
  if (platformId === null || text === null) return null;
  return { platformId, authorId: cell('quoteAuthorId') ?? '', authorName: cell('quoteAuthorName') ?? '', text };
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

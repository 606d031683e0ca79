import { getTableColumns, sql } from 'drizzle-orm';
import { cleanText, type Message, type NewMessage, type Quote } from '../../conversation/message.js';
import type { Client, Database } from './connection.js';
import { messages } from './schema.js';

/** A row as it is stored. */
type MessageRow = typeof messages.$inferSelect;

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

/** The insert of one message row, which changes nothing when (session, platform id, role) is stored already. */
export function prepareInsert(db: Database) {
  return db
    .insert(messages)
    .values({
      seq: sql.placeholder('seq'),
      sessionId: sql.placeholder('sessionId'),
      platformId: sql.placeholder('platformId'),
      role: sql.placeholder('role'),
      authorId: sql.placeholder('authorId'),
      authorName: sql.placeholder('authorName'),
      text: sql.placeholder('text'),
      quotePlatformId: sql.placeholder('quotePlatformId'),
      quoteAuthorId: sql.placeholder('quoteAuthorId'),
      quoteAuthorName: sql.placeholder('quoteAuthorName'),
      quoteText: sql.placeholder('quoteText'),
      createdAt: sql.placeholder('createdAt'),
      state: sql.placeholder('state'),
      tokens: sql.placeholder('tokens'),
      encoding: sql.placeholder('encoding'),
    })
    .onConflictDoNothing({ target: [messages.sessionId, messages.platformId, messages.role] })
    .prepare();
}

/** The insert of one of many rows, without what the query builder does for each; it fails when one is stored already. */
export function prepareBulkInsert(client: Client): (row: MessageRow) => void {
  const columns = Object.entries(getTableColumns(messages));
  const names = columns.map(([, { name }]) => name).join(', ');
  const insert = client.prepare(`INSERT INTO messages (${names}) VALUES (${columns.map(() => '?').join(', ')})`);
  const keys = columns.map(([key]) => key as keyof MessageRow);
  return (row) => void insert.run(keys.map((key) => row[key]));
}

/** Gives out the numbers of messages, each once; a reserved one comes before all that is stored later. */
export type SeqCounter = {
  /** The number that comes next, not yet taken. */
  peek(): number;
  take(): number;
};

/** Continues after the highest number that the database has ever stored. */
export function continueSeqCounter(client: Client): SeqCounter {
  const used = client.prepare("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'messages'").pluck();
  let last = Number(used.get());
  return {
    peek: () => last + 1,
    take() {
      last += 1;
      return last;
    },
  };
}

import { getTableColumns, sql } from 'drizzle-orm';
import { cleanText, type Message, type NewMessage, type Quote } from '../../conversation/message.js';
import type { Client, Database } from './connection.js';
import { messages } from './schema.js';

type MessageRow = typeof messages.$inferSelect;

/** Turns a stored row into a message, its quote into an object. */
export function toMessage(row: MessageRow): Message {
  return messageFrom((column) => row[column]);
}

/** Turns rows that were read as arrays of values into messages; to let the query builder make objects doubles the time. */
export function toMessages(rows: readonly unknown[][]): Message[] {
  return rows.map((values) => messageFrom((column) => values[COLUMN_INDEX[column]] as MessageRow[typeof column]));
}

const COLUMNS = Object.keys(getTableColumns(messages)) as (keyof MessageRow)[];
const COLUMN_INDEX = Object.fromEntries(COLUMNS.map((column, index) => [column, index])) as Record<
  keyof MessageRow,
  number
>;

type ColumnReader = <K extends keyof MessageRow>(column: K) => MessageRow[K];

/** Written out without a loop, since it runs for every row. */
function messageFrom(value: ColumnReader): Message {
  return {
    seq: value('seq'),
    sessionId: value('sessionId'),
    platformId: value('platformId'),
    role: value('role'),
    authorId: value('authorId'),
    authorName: value('authorName'),
    text: value('text'),
    quote: quoteFrom(value),
    createdAt: value('createdAt'),
    state: value('state'),
    tokens: value('tokens'),
    encoding: value('encoding'),
  };
}

function quoteFrom(value: ColumnReader): Quote | null {
  const platformId = value('quotePlatformId');
  const text = value('quoteText');
  if (platformId === null || text === null) return null;
  return { platformId, authorId: value('quoteAuthorId') ?? '', authorName: value('quoteAuthorName') ?? '', text };
}

/** The row of a message that is to be stored under `seq`, its texts cleaned. */
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

/** Prepares the insert of a message row, which changes nothing when (session, platform id, role) is stored already. */
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

/** Prepares the insert of many rows, without the query builder's work for each; it fails for one that is stored already. */
export function prepareBulkInsert(client: Client): (row: MessageRow) => void {
  const names = Object.values(getTableColumns(messages)).map(({ name }) => name);
  const insert = client.prepare(
    `INSERT INTO messages (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
  return (row) => void insert.run(COLUMNS.map((column) => row[column]));
}

/** Numbers messages; a `seq` that is taken ahead for an answer comes before those of all messages stored later. */
type SeqCounter = {
  /** The next `seq`, without taking it. */
  peek(): number;
  take(): number;
};

/** Continues after the highest `seq` that the database has ever stored. */
export function continueSeqCounter(client: Client): SeqCounter {
  const highest = client.prepare("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'messages'").pluck();
  let last = Number(highest.get());
  return {
    peek: () => last + 1,
    take() {
      last += 1;
      return last;
    },
  };
}

import { getTableColumns, sql } from 'drizzle-orm';
import type { Client, Database } from './database.js';
import type { MessageRow } from './rows.js';
import { messages } from './schema.js';

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

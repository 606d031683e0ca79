import { sql } from 'drizzle-orm';
import type { Database } from './database.js';
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

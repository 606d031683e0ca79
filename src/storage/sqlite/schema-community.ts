import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { sessions } from './schema.js';

/** Platform messages that show an answer, chunk by chunk; without a message id while one is being sent. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    sessionId: text('session_id').notNull(),
    answerTo: text('answer_to').notNull(),
    chunk: integer('chunk').notNull(),
    nonce: text('nonce').notNull(),
    messageId: text('message_id'),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.answerTo, table.chunk] }),
    index('deliveries_shown').on(table.sessionId, table.messageId),
  ],
);

/** People whose texts are not kept in a scope, and whether they were told so since. */
export const optOuts = sqliteTable(
  'opt_outs',
  {
    scopeId: text('scope_id').notNull(),
    authorId: text('author_id').notNull(),
    told: integer('told', { mode: 'boolean' }).notNull().default(false),
    at: integer('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.scopeId, table.authorId] })],
);

/** What the program remembers of itself. */
export const facts = sqliteTable('facts', { name: text('name').primaryKey(), value: text('value').notNull() });

/** Who has written or was quoted in which session, and under which names, one a line. */
export const participants = sqliteTable(
  'participants',
  {
    authorId: text('author_id').notNull(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    names: text('names').notNull().default(''),
  },
  (table) => [primaryKey({ columns: [table.authorId, table.sessionId] })],
);

/** Tokens used, by day; the rows of one scope and day add up to what it used. */
export const usage = sqliteTable(
  'usage',
  {
    scopeId: text('scope_id').notNull(),
    day: text('day').notNull(),
    authorId: text('author_id').notNull(),
    sessionId: text('session_id').notNull(),
    tokens: integer('tokens').notNull(),
    calls: integer('calls').notNull(),
  },
  (table) => [primaryKey({ columns: [table.scopeId, table.day, table.authorId, table.sessionId] })],
);

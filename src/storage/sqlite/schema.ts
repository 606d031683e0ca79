import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { MessageState, Role } from '../../conversation/message.js';
import type { SettingKey } from '../../conversation/settings.js';

/** Sessions, with the numbers that writes are compared with. All times are in milliseconds since 1970. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    serverId: text('server_id'),
    parentId: text('parent_id'),
    epoch: integer('epoch').notNull().default(0),
    revision: integer('revision').notNull().default(0),
    sweptThrough: integer('swept_through').notNull().default(0),
    goneThrough: integer('gone_through'),
    addressed: integer('addressed', { mode: 'boolean' }).notNull().default(false),
    createdAt: integer('created_at').notNull().default(sql`(unixepoch() * 1000)`),
  },
  (table) => [index('sessions_server').on(table.serverId), index('sessions_parent').on(table.parentId)],
);

/** Messages of people and answers of the bot; `seq` is never reused. A quote is flat here, and an object outside. */
export const messages = sqliteTable(
  'messages',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    platformId: text('platform_id').notNull(),
    role: text('role').$type<Role>().notNull(),
    authorId: text('author_id').notNull(),
    authorName: text('author_name').notNull(),
    text: text('text').notNull(),
    quotePlatformId: text('quote_platform_id'),
    quoteAuthorId: text('quote_author_id'),
    quoteAuthorName: text('quote_author_name'),
    quoteText: text('quote_text'),
    createdAt: integer('created_at').notNull(),
    state: text('state').$type<MessageState>().notNull(),
    tokens: integer('tokens'),
    encoding: text('encoding'),
  },
  (table) => [
    uniqueIndex('messages_identity').on(table.sessionId, table.platformId, table.role),
    index('messages_order').on(table.sessionId, table.seq),
    index('messages_pending').on(table.sessionId, table.seq).where(sql`state = 'pending'`),
    index('messages_quotes').on(table.sessionId, table.quotePlatformId).where(sql`quote_platform_id is not null`),
  ],
);

/** Summaries; `id` changes whenever one is made dirty, so that a rewrite of an older version fails. */
export const summaries = sqliteTable(
  'summaries',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    text: text('text').notNull(),
    tokens: integer('tokens').notNull(),
    encoding: text('encoding').notNull(),
    fromSeq: integer('from_seq').notNull(),
    throughSeq: integer('through_seq').notNull(),
    fromAt: integer('from_at').notNull(),
    throughAt: integer('through_at').notNull(),
    model: text('model').notNull(),
    dirty: integer('dirty', { mode: 'boolean' }).notNull().default(false),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    index('summaries_watermark').on(table.sessionId, table.throughSeq),
    index('summaries_dirty').on(table.sessionId, table.throughSeq).where(sql`dirty = 1`),
  ],
);

/** Settings of scopes (a session, or `server:<id>`). */
export const settings = sqliteTable(
  'settings',
  {
    scopeId: text('scope_id').notNull(),
    key: text('key').$type<SettingKey>().notNull(),
    value: text('value', { mode: 'json' }),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.scopeId, table.key] })],
);

/** Ids of erased messages, so that one which is delivered late or again is not stored. */
export const tombstones = sqliteTable(
  'tombstones',
  {
    sessionId: text('session_id').notNull(),
    platformId: text('platform_id').notNull(),
    at: integer('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.platformId] })],
);

/** Platform messages that show an answer, chunk by chunk; `message_id` is null until the platform has confirmed one. */
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

/** People whose texts are not stored in a scope, and whether they were told since that they get no answer. */
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

/** Named facts of the program itself. */
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

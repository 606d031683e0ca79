import { and, eq } from 'drizzle-orm';
import { DAY_MS } from '../../conversation/clock.js';
import type { Role } from '../../conversation/message.js';
import type { Erased } from '../../conversation/store.js';
import { type Client, inList, jsonList } from './connection.js';
import { eraseAnswer, eraseMessages } from './erasure.js';
import { deliveries, messages } from './schema.js';
import { prepareStatements, type Statements } from './statements.js';

/** What did not come back: the rows erased, the rows that got their present text, and the sessions emptied. */
export type CarriedOver = { erased: number; edited: number; emptied: number };

/**
 * Applies to a restored database what was erased, edited, forgotten and opted out since in the one that it replaces, which
 * is attached as `old` and has the same schema. `retentionDays` says how long tombstones last. A transaction must be open.
 */
export function carryOver(client: Client, retentionDays: number, now: number): CarriedOver {
  const statements = prepareStatements(client);
  const tombstonesExpired = now - newestTime(client) > Math.max(retentionDays, 1) * DAY_MS;
  const total: CarriedOver = { erased: 0, edited: 0, emptied: 0 };
  for (const { id, forgotten } of sharedSessions(client)) {
    if (forgotten) {
      const erased = applyForget(client, statements, id, now);
      total.erased += erased;
      if (erased > 0 && holdsNoMessage(statements, id)) total.emptied += 1;
    } else if (tombstonesExpired) {
      // Nothing tells any more which of these rows were erased, and which retention has deleted.
      const missing = missingRows(client, id);
      total.erased += eraseRows(statements, id, idsOf(missing, 'user'), idsOf(missing, 'assistant'), now);
    }
    total.edited += takeEdits(client, statements, id);
  }
  for (const [sessionId, ids] of oldTombstones(client)) total.erased += eraseRows(statements, sessionId, ids, [], now);
  takeGuards(client);
  return total;
}

/** Ends the turns that a restored database was in the middle of, since nobody knows which of them were answered. */
export function endPendingTurns(client: Client): void {
  client.exec(
    `UPDATE main.messages SET state = 'failed' WHERE state = 'pending' AND role = 'user';
     DELETE FROM main.messages WHERE state = 'pending' AND role = 'assistant';`,
  );
}

/** Returns the newest time in the restored database, in milliseconds since 1970: about when the backup was made. */
function newestTime(client: Client): number {
  const newest = client.prepare(
    `SELECT max(at) FROM (SELECT max(created_at) AS at FROM main.messages
       UNION ALL SELECT max(created_at) FROM main.summaries UNION ALL SELECT max(updated_at) FROM main.settings)`,
  );
  return Number(newest.pluck().get() ?? 0);
}

/**
 * Lists the sessions that both databases hold, and whether something was forgotten in them since the backup. Where the old
 * database was begun anew since, its epochs have counted from 0.
 */
function sharedSessions(client: Client): { id: string; forgotten: boolean }[] {
  return client
    .prepare<[], { id: string; forgotten: number }>(
      `SELECT s.id, o.epoch > iif(o.created_at = s.created_at, s.epoch, 0) AS forgotten
       FROM main.sessions s JOIN old.sessions o ON o.id = s.id`,
    )
    .all()
    .map(({ id, forgotten }) => ({ id, forgotten: forgotten === 1 }));
}

type Row = { seq: number; platformId: string; role: Role };

function missingRows(client: Client, sessionId: string): Row[] {
  return client
    .prepare<[string], Row>(
      `SELECT seq, platform_id AS platformId, role FROM main.messages
       WHERE session_id = ? AND ${isNotInOld('messages', ['session_id', 'platform_id', 'role'])}`,
    )
    .all(sessionId);
}

/** A condition on rows of a table: the old database holds none with the same values in these columns. */
function isNotInOld(table: string, columns: readonly string[]): string {
  const same = columns.map((name) => `o.${name} = ${table}.${name}`).join(' AND ');
  return `NOT EXISTS (SELECT 1 FROM old.${table} o WHERE ${same})`;
}

function idsOf(rows: readonly Row[], wanted: Role): string[] {
  return rows.filter(({ role }) => role === wanted).map(({ platformId }) => platformId);
}

/**
 * Deletes from a session in which something was forgotten all messages, summaries and people that the old database does not
 * hold, since any of those may tell of what was forgotten. Returns the number of messages.
 */
function applyForget(client: Client, statements: Statements, id: string, now: number): number {
  const { erasureEffects, sessions, summaries, turnRows } = statements;
  const missing = missingRows(client, id);
  const tombstones = idsOf(missing, 'user').map((platformId) => ({ platformId, at: now }));
  erasureEffects.addTombstones(id, tombstones);
  turnRows.remove(missing.map(({ seq }) => seq));
  const summary = isNotInOld('summaries', ['session_id', 'through_seq', 'created_at', 'text']);
  client.prepare(`DELETE FROM main.summaries WHERE session_id = ? AND ${summary}`).run(id);
  const person = isNotInOld('participants', ['session_id', 'author_id']);
  client.prepare(`DELETE FROM main.participants WHERE session_id = ? AND ${person}`).run(id);
  // What is missing below a summary that the old database still holds was deleted by retention.
  const watermark = summaries.newest(id).summary?.throughSeq ?? 0;
  const swept = missing.reduce((max, { seq }) => (seq <= watermark ? Math.max(max, seq) : max), 0);
  sessions.setSweptThrough(id, Math.max(sessions.state(id).sweptThrough, swept));
  client
    .prepare(
      `UPDATE main.sessions AS s SET epoch = max(s.epoch, o.epoch), revision = max(s.revision, o.revision) + 1
       FROM old.sessions o WHERE s.id = ? AND o.id = s.id`,
    )
    .run(id);
  return missing.length;
}

function holdsNoMessage({ db }: Statements, sessionId: string): boolean {
  const ours = eq(messages.sessionId, sessionId);
  return db.select({ seq: messages.seq }).from(messages).where(ours).limit(1).get() === undefined;
}

/** Erases messages, the answers that such messages showed, and the answers to questions; returns the number of rows. */
function eraseRows(
  statements: Statements,
  sessionId: string,
  platformIds: readonly string[],
  answersTo: readonly string[],
  now: number,
): number {
  const shown = statements.db
    .select({ answerTo: deliveries.answerTo })
    .from(deliveries)
    .where(and(eq(deliveries.sessionId, sessionId), inList(deliveries.messageId, jsonList(platformIds))))
    .all()
    .map(({ answerTo }) => answerTo);
  const erased = [
    eraseMessages(statements, sessionId, platformIds, now),
    ...[...answersTo, ...shown].map((answerTo) => eraseAnswer(statements, sessionId, answerTo)),
  ];
  for (const receipt of erased) dropUnrebuildable(statements, receipt);
  return erased.reduce((sum, receipt) => sum + receipt.messages + receipt.answers, 0);
}

/** Drops a summary over erased or edited rows that rows cannot rebuild, since no model is at hand to rewrite it. */
function dropUnrebuildable({ summaries }: Statements, { unrebuildable }: Pick<Erased, 'unrebuildable'>): void {
  if (unrebuildable !== null) summaries.drop(unrebuildable.id);
}

/** Gives rows the text and quote that the old database has of them; returns how many it changed. */
function takeEdits(client: Client, statements: Statements, sessionId: string): number {
  const columns = ['text', 'quote_platform_id', 'quote_author_id', 'quote_author_name', 'quote_text'];
  const edited = client
    .prepare<[string], number>(
      `UPDATE main.messages AS m SET ${columns.map((name) => `${name} = o.${name}`).join(', ')}, tokens = NULL, encoding = NULL
       FROM old.messages o WHERE m.session_id = ? AND o.session_id = m.session_id
       AND o.platform_id = m.platform_id AND o.role = m.role
       AND (m.text <> o.text OR m.quote_text IS NOT o.quote_text) RETURNING seq`,
    )
    .pluck()
    .all(sessionId);
  if (edited.length === 0) return 0;
  dropUnrebuildable(statements, statements.erasureEffects.markDirty(sessionId, edited));
  statements.sessions.raiseRevision(sessionId);
  return edited.length;
}

/** Lists the ids that have a tombstone in the old database, by session. */
function oldTombstones(client: Client): [sessionId: string, platformIds: string[]][] {
  return client
    .prepare<[], { sessionId: string; ids: string }>(
      'SELECT session_id AS sessionId, json_group_array(platform_id) AS ids FROM old.tombstones GROUP BY session_id',
    )
    .all()
    .map(({ sessionId, ids }) => [sessionId, JSON.parse(ids) as string[]]);
}

/** Copies tombstones and opt-outs, and the cursor of emptied sessions, so that catch-up does not read them from the beginning. */
function takeGuards(client: Client): void {
  client.exec(
    `INSERT INTO main.tombstones SELECT session_id, platform_id, at FROM old.tombstones WHERE true
       ON CONFLICT DO UPDATE SET at = min(at, excluded.at);
     INSERT OR IGNORE INTO main.opt_outs SELECT scope_id, author_id, told, at FROM old.opt_outs;
     UPDATE main.sessions AS s SET gone_through = o.gone_through FROM old.sessions o
       WHERE o.id = s.id AND NOT EXISTS (SELECT 1 FROM main.messages m WHERE m.session_id = s.id);`,
  );
}

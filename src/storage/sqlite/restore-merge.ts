import { randomUUID } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import { DAY_MS } from '../../conversation/clock.js';
import { type Client, inList, jsonList } from './connection.js';
import { tablesOf } from './database-file.js';
import { eraseAnswer, eraseMessages, forgetSession } from './erasure.js';
import { deliveries } from './schema.js';
import type { Statements } from './statements.js';
import { isRebuildable } from './summaries.js';

/** A session that a restored database and the one it replaces both know. */
type SharedSession = { id: string; forgotten: boolean; sweptThrough: number };

/**
 * How the database that is replaced (attached as `old`) stands to the restored one. It `descends` from it when nothing
 * was restored between the two; `inDoubt` says that the restored one is older than tombstones last.
 */
type Lineage = { descends: boolean; inDoubt: boolean; sessions: SharedSession[] };

/** A row of the restored database that the other has no more. */
type MissingRow = { seq: number; platformId: string; role: string };

/** The fact that tells lines apart: each restore begins a new one. */
const LINE_FACT = 'line';

/** Compares the two databases; one that is damaged is not trusted to tell by what it lacks. */
export function compareLines(client: Client, trusted: boolean, retentionDays: number, now: number): Lineage {
  const sessions = client
    .prepare<[], { id: string; forgotten: number; sweptThrough: number }>(
      `SELECT s.id, o.epoch > s.epoch AS forgotten, o.swept_through AS sweptThrough
       FROM main.sessions s JOIN old.sessions o ON o.id = s.id AND o.created_at = s.created_at`,
    )
    .all()
    .map((row) => ({ ...row, forgotten: row.forgotten === 1 }));
  const descends =
    trusted && lineOf(client, 'main') === lineOf(client, 'old') && lastSeq(client) <= lastSeq(client, 'old');
  const madeAt = client
    .prepare<[], { at: number | null }>(
      `SELECT max(at) AS at FROM (SELECT max(created_at) AS at FROM main.messages
       UNION ALL SELECT max(created_at) FROM main.summaries UNION ALL SELECT max(updated_at) FROM main.settings)`,
    )
    .get();
  return { descends, inDoubt: now - (madeAt?.at ?? 0) > Math.max(retentionDays, 1) * DAY_MS, sessions };
}

/** The highest number that a message of a database ever had. */
function lastSeq(client: Client, schema = 'main'): number {
  const row = client.prepare(`SELECT max(seq) FROM "${schema}".sqlite_sequence WHERE name = 'messages'`).pluck().get();
  return Number(row ?? 0);
}

/**
 * Rows that were erased since: those that the other database lacks though retention did not reach them, and in doubt
 * also where it may have been retention.
 */
function missingRows(client: Client, { id, sweptThrough }: SharedSession, inDoubt: boolean): MissingRow[] {
  return client
    .prepare<[string, number], MissingRow>(
      `SELECT seq, platform_id AS platformId, role FROM main.messages m WHERE session_id = ? AND seq > ?
       AND NOT EXISTS (SELECT 1 FROM old.messages o
         WHERE o.session_id = m.session_id AND o.platform_id = m.platform_id AND o.role = m.role)`,
    )
    .all(id, inDoubt ? 0 : sweptThrough);
}

/** Gives rows the text and quote that the other database has of them; resolves their numbers. */
function takeEdits(client: Client, sessionId: string): number[] {
  const quote = ['quote_platform_id', 'quote_author_id', 'quote_author_name', 'quote_text'];
  const columns = ['text', ...quote];
  return client
    .prepare<[string], { seq: number }>(
      `UPDATE main.messages AS m SET ${columns.map((name) => `${name} = o.${name}`).join(', ')}, tokens = NULL, encoding = NULL
       FROM old.messages o WHERE m.session_id = ? AND o.session_id = m.session_id
       AND o.platform_id = m.platform_id AND o.role = m.role
       AND (m.text <> o.text OR m.quote_text IS NOT o.quote_text) RETURNING seq`,
    )
    .all(sessionId)
    .map(({ seq }) => seq);
}

/** Ids, by session, that have a tombstone in the other database only. */
function newTombstones(client: Client): Map<string, string[]> {
  const rows = client
    .prepare<[], { sessionId: string; platformId: string }>(
      `SELECT session_id AS sessionId, platform_id AS platformId FROM old.tombstones
       EXCEPT SELECT session_id, platform_id FROM main.tombstones`,
    )
    .all();
  const graves = new Map<string, string[]>();
  for (const { sessionId, platformId } of rows) {
    const ids = graves.get(sessionId);
    if (ids === undefined) graves.set(sessionId, [platformId]);
    else ids.push(platformId);
  }
  return graves;
}

function lineOf(client: Client, schema: string): string | null {
  if (!tablesOf(client, schema).includes('facts')) return null;
  const value = client.prepare(`SELECT value FROM "${schema}".facts WHERE name = ?`).pluck().get(LINE_FACT);
  return (value as string | undefined) ?? null;
}

/** What was kept from coming back: rows erased, rows that got their present text, sessions that were emptied. */
export type CarriedOver = { erased: number; edited: number; emptied: number };

/**
 * Applies to a restored database what was erased, edited and forgotten since in the one it replaces, which is attached
 * as `old`; in doubt a row does not come back. A transaction must be open.
 */
export function mergeIntoRestored(client: Client, parts: Statements, lineage: Lineage, now: number): CarriedOver {
  const result: CarriedOver = { erased: 0, edited: 0, emptied: 0 };
  for (const session of lineage.sessions) {
    const { id, forgotten } = session;
    if (forgotten && !lineage.descends) {
      // Who was forgotten cannot be told from here: the two have gone separate ways.
      forgetSession(parts, id);
      result.emptied += 1;
      continue;
    }
    const gone = lineage.descends ? missingRows(client, session, lineage.inDoubt || forgotten) : [];
    result.erased += eraseRows(parts, id, gone, now);
    const edited = takeEdits(client, id);
    result.edited += edited.length;
    const swept = forgotten && parts.sessions.state(id).sweptThrough > 0 ? [0] : [];
    markSuspect(parts, id, [...gone.map(({ seq }) => seq), ...edited, ...swept]);
  }
  for (const [sessionId, ids] of newTombstones(client)) {
    const named = ids.map((platformId) => ({ platformId, role: 'user' }));
    result.erased += eraseRows(parts, sessionId, named, now);
  }
  if (lineage.descends) forgetParticipants(client);
  return result;
}

/** Lets go of the names of people who were forgotten since; those who took part and were not are known to the old one. */
function forgetParticipants(client: Client): void {
  const known = client.prepare("select 1 from old.sqlite_master where name = 'participants'").get();
  if (known === undefined) return;
  client.exec(
    'delete from participants where not exists (select 1 from old.participants known ' +
      'where known.author_id = participants.author_id and known.session_id = participants.session_id)',
  );
}

function eraseRows(
  parts: Statements,
  sessionId: string,
  rows: readonly { platformId: string; role: string }[],
  now: number,
): number {
  if (rows.length === 0) return 0;
  const said = rows.filter(({ role }) => role === 'user').map(({ platformId }) => platformId);
  const erased = eraseMessages(parts, sessionId, said, now);
  let total = erased.messages + erased.answers;
  const shown = parts.db
    .select({ answerTo: deliveries.answerTo })
    .from(deliveries)
    .where(and(eq(deliveries.sessionId, sessionId), inList(deliveries.messageId, jsonList(said))))
    .all()
    .map(({ answerTo }) => answerTo);
  const answers = rows.filter(({ role }) => role === 'assistant').map(({ platformId }) => platformId);
  for (const id of [...answers, ...shown]) total += eraseAnswer(parts, sessionId, id).answers;
  markSuspect(parts, sessionId, []);
  return total;
}

/** Marks the summaries over changed rows; those that rows cannot restore are dropped. */
function markSuspect(
  { invalidation, summaries, sessions }: Statements,
  sessionId: string,
  seqs: readonly number[],
): void {
  if (seqs.length > 0) {
    invalidation.markDirty(sessionId, seqs);
    sessions.raiseRevision(sessionId);
  }
  const { sweptThrough } = sessions.state(sessionId);
  const all = summaries.ofSession(sessionId);
  const mark = all.findLast(({ dirty }) => dirty);
  const clean = all.findLast(({ dirty }) => !dirty) ?? null;
  if (mark !== undefined && !isRebuildable(mark, clean, sweptThrough)) summaries.drop(mark.id);
}

/** Takes over what guards the future from the database that is replaced: tombstones, opt-outs, epochs, numbers, accounts. */
export function copyGuards(client: Client, { descends }: Pick<Lineage, 'descends'>): void {
  client.exec(
    `INSERT INTO main.tombstones SELECT session_id, platform_id, at FROM old.tombstones WHERE true
     ON CONFLICT DO UPDATE SET at = min(at, excluded.at)`,
  );
  if (tablesOf(client, 'old').includes('opt_outs')) {
    // Only what descends from the restored one can say that somebody opted in again.
    if (descends) client.exec('DELETE FROM main.opt_outs');
    client.exec('INSERT OR IGNORE INTO main.opt_outs SELECT scope_id, author_id, told, at FROM old.opt_outs');
  }
  client.exec(
    `UPDATE main.sessions AS s SET epoch = o.epoch, revision = max(s.revision, o.revision) + 1
     FROM old.sessions o WHERE o.id = s.id AND o.epoch > s.epoch`,
  );
  if (tablesOf(client, 'old').includes('usage')) takeUsage(client, descends);
  takeHeard(client);
  const seq = Math.max(lastSeq(client), lastSeq(client, 'old'));
  client.exec("DELETE FROM main.sqlite_sequence WHERE name = 'messages'");
  client.prepare("INSERT INTO main.sqlite_sequence (name, seq) VALUES ('messages', ?)").run(seq);
}

/** What was used since the backup stays used, so that no day's budget is given twice. */
function takeUsage(client: Client, descends: boolean): void {
  if (descends) client.exec('DELETE FROM main.usage');
  client.exec(
    `INSERT INTO main.usage SELECT scope_id, day, author_id, session_id, tokens, calls FROM old.usage WHERE true
     ON CONFLICT DO UPDATE SET tokens = max(tokens, excluded.tokens), calls = max(calls, excluded.calls)`,
  );
}

/** What was forgotten is not read again from where it was said; a database of before `gone_through` cannot tell how far. */
function takeHeard(client: Client): void {
  const known = client.prepare("SELECT 1 FROM pragma_table_info('sessions', 'old') WHERE name = 'gone_through'").get();
  client.exec(
    `UPDATE main.sessions AS s SET gone_through = ${known === undefined ? 'NULL' : 'o.gone_through'}
     FROM old.sessions o WHERE o.id = s.id
     AND NOT EXISTS (SELECT 1 FROM main.messages m WHERE m.session_id = s.id)`,
  );
}

/**
 * Ends the turns that a restored database was in the middle of, since nobody knows which of them were answered, and
 * begins a new line of descent.
 */
export function startLineage(client: Client): void {
  client.exec("UPDATE messages SET state = 'failed' WHERE state = 'pending' AND role = 'user'");
  client.exec("DELETE FROM messages WHERE state = 'pending' AND role = 'assistant'");
  client.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)').run(LINE_FACT, randomUUID());
}

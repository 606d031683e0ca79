import { DAY_MS } from '../../conversation/clock.js';
import { tablesOf } from './counts.js';
import type { Client } from './database.js';

/** A session that a restored database and the one it replaces both know. */
export type SharedSession = { id: string; forgotten: boolean; sweptThrough: number };

/**
 * How the database that is replaced (attached as `old`) stands to the restored one. It `descends` from it when nothing
 * was restored between the two; `inDoubt` says that the restored one is older than tombstones last.
 */
export type Lineage = { descends: boolean; inDoubt: boolean; sessions: SharedSession[] };

/** A row of the restored database that the other has no more. */
export type MissingRow = { seq: number; platformId: string; role: string };

/** The fact that tells lines apart: each restore begins a new one. */
export const LINE_FACT = 'line';

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
export function lastSeq(client: Client, schema = 'main'): number {
  const row = client.prepare(`SELECT max(seq) FROM "${schema}".sqlite_sequence WHERE name = 'messages'`).pluck().get();
  return Number(row ?? 0);
}

/**
 * Rows that were erased since: those that the other database lacks though retention did not reach them, and in doubt
 * also where it may have been retention.
 */
export function missingRows(client: Client, { id, sweptThrough }: SharedSession, inDoubt: boolean): MissingRow[] {
  return client
    .prepare<[string, number], MissingRow>(
      `SELECT seq, platform_id AS platformId, role FROM main.messages m WHERE session_id = ? AND seq > ?
       AND NOT EXISTS (SELECT 1 FROM old.messages o
         WHERE o.session_id = m.session_id AND o.platform_id = m.platform_id AND o.role = m.role)`,
    )
    .all(id, inDoubt ? 0 : sweptThrough);
}

/** Gives rows the text and quote that the other database has of them; resolves their numbers. */
export function takeEdits(client: Client, sessionId: string): number[] {
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
export function newGraves(client: Client): Map<string, string[]> {
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

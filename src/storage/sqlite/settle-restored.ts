import { randomUUID } from 'node:crypto';
import { tablesOf } from './counts.js';
import type { Client } from './database.js';
import { LINE_FACT, type Lineage, lastSeq } from './lineage.js';

/** Takes over what guards the future from the database that is replaced: tombstones, opt-outs, epochs, numbers, accounts. */
export function takeGuards(client: Client, { descends }: Pick<Lineage, 'descends'>): void {
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
export function beginLine(client: Client): void {
  client.exec("UPDATE messages SET state = 'failed' WHERE state = 'pending' AND role = 'user'");
  client.exec("DELETE FROM messages WHERE state = 'pending' AND role = 'assistant'");
  client.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)').run(LINE_FACT, randomUUID());
}

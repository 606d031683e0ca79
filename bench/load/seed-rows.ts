import Sqlite from 'better-sqlite3';
import { createTalk } from '../support/talk.js';

/** Sessions to be filled: so many answered messages in each, the newest of which was said at `until`. */
export type Filling = {
  databasePath: string;
  channelIds: readonly string[];
  serverIds: readonly string[];
  rows: number;
  until: number;
};

const MINUTE = 60_000;
/** Different texts; more would only take longer to make up. */
const TEXTS = 500;

/** Fills a database past the product, which would count and commit each message: questions and answers by turns. */
export function seedRows({ databasePath, channelIds, serverIds, rows, until }: Filling): void {
  const db = new Sqlite(databasePath);
  db.pragma('synchronous = OFF');
  const talk = createTalk(rows);
  const questions = Array.from({ length: TEXTS }, () => talk.question());
  const answers = Array.from({ length: TEXTS }, () => talk.answer());
  const open = db.prepare('INSERT OR IGNORE INTO sessions (id, server_id, addressed) VALUES (?, ?, 1)');
  const attend = db.prepare(`INSERT OR IGNORE INTO participants (author_id, session_id) VALUES ('7', ?)`);
  const insert = db.prepare(
    `INSERT INTO messages (session_id, platform_id, role, author_id, author_name, text, created_at, state, tokens, encoding)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'answered', ?, 'o200k_base')`,
  );
  let number = 0;
  const fill = db.transaction((channelId: string, serverId: string) => {
    const sessionId = `discord:${channelId}`;
    open.run(sessionId, serverId);
    attend.run(sessionId);
    for (let row = 0; row < rows; row += 1) {
      const asked = row % 2 === 0;
      if (asked) number += 1;
      const text = `${(asked ? questions : answers)[number % TEXTS]} ${number}`;
      const author = asked ? ['user', '7', 'Ada'] : ['assistant', '1', ''];
      const tokens = Math.ceil(text.length / 4) + 8;
      const at = until - (rows - row) * MINUTE;
      insert.run(sessionId, snowflake(at, number), ...author, text, at, tokens);
    }
  });
  channelIds.forEach((id, i) => {
    fill(id, serverIds[i] ?? '');
  });
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

/** An id of the time that it was made at, as Discord's are. */
function snowflake(at: number, number: number): string {
  return String((BigInt(at - 1_420_070_400_000) << 22n) | BigInt(number % 4_194_304));
}

/** Gives every session a summary of all but its newest `live` rows, written just now. */
export function seedSummaries(databasePath: string, live: number, text: string): void {
  const db = new Sqlite(databasePath);
  db.prepare(
    `INSERT INTO summaries (session_id, text, tokens, encoding, from_seq, through_seq, from_at, through_at, model, created_at)
     SELECT session_id, ?, 340, 'o200k_base', min(seq), max(seq) - ?, min(created_at), max(created_at), 'fake-summary', ?
     FROM messages GROUP BY session_id`,
  ).run(text, live, Date.now());
  db.close();
}

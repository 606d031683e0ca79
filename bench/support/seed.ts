import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Strategy } from '#dist/conversation/settings.js';
import { openStore } from '#dist/storage/open.js';
import { roughTokens, SUMMARY } from './models.js';
import { createTalk } from './talk.js';

/** The server that every session of a bench belongs to. */
export const SERVER = '900';

/** A folder that is thrown away by the caller. */
export function scratchFolder(): string {
  return mkdtempSync(join(tmpdir(), 'keepsake-bench-'));
}

/** The id of the session with a number. */
export function sessionId(number: number): string {
  return `discord:${1_000 + number}`;
}

/** A platform id that rises, as Discord's do. */
export function platformId(number: number): string {
  return String(1_100_000_000_000_000_000n + BigInt(number) * 4_194_304n);
}

/** Sessions that short ones are spread over, so that measuring does not lengthen them much. */
export function sessionsFor(messages: number): number {
  return messages < 100 ? 200 : 1;
}

/** A database with sessions of so many answered messages each, made by the product and filled past it. */
export async function seedDatabase(path: string, messages: number): Promise<void> {
  const store = await openStore(path, { synchronous: 'NORMAL' });
  const sessions = sessionsFor(messages);
  for (let i = 0; i < sessions; i += 1) await store.openSession({ id: sessionId(i), parentId: null, serverId: SERVER });
  await store.close();
  const client = new Sqlite(path);
  const talk = createTalk(messages);
  const began = Date.now() - sessions * messages * 1_000;
  const insert = client.prepare(
    `INSERT INTO messages (session_id, platform_id, role, author_id, author_name, text, created_at, state, tokens, encoding)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'answered', ?, 'o200k_base')`,
  );
  client.prepare(`INSERT INTO participants (author_id, session_id) SELECT 'ada', id FROM sessions`).run();
  client.transaction(() => {
    for (let i = 0; i < sessions * messages; i += 1) {
      const asked = i % 2 === 0;
      const text = asked ? talk.question() : talk.answer();
      const author = asked ? ['user', 'ada', 'Ada'] : ['assistant', 'keepsake', ''];
      const tokens = roughTokens(text) + 6;
      insert.run(sessionId(Math.floor(i / messages)), platformId(i >> 1), ...author, text, began + i * 1_000, tokens);
    }
  })();
  client.close();
}

/** Gives every session of a seeded database the summary that it would have under a strategy, if the strategy folds. */
export function seedSummaries(path: string, strategy: Strategy): void {
  const live = strategy.name === 'summary' ? 0 : strategy.name === 'summary-buffer' ? strategy.limit.keep : null;
  if (live === null) return;
  const client = new Sqlite(path);
  client
    .prepare(
      `INSERT INTO summaries (session_id, text, tokens, encoding, from_seq, through_seq, from_at, through_at, model, created_at)
       SELECT session_id, ?, ?, 'o200k_base', 1, max(seq), 0, 0, 'instant', 0
       FROM (SELECT session_id, seq, role, sum(tokens) OVER (PARTITION BY session_id ORDER BY seq DESC) AS above FROM messages)
       WHERE above > ? AND role = 'assistant' GROUP BY session_id`,
    )
    .run(SUMMARY, roughTokens(SUMMARY), live);
  client.close();
}

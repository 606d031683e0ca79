import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { countRows, tablesOf } from '../../src/storage/sqlite/database-file.js';
import { openChatbot } from '../support/chatbot.js';
import { aFolder } from '../support/folder.js';
import { firstMigrations, shippedTags } from './files.js';

const earlier = shippedTags()
  .slice(0, -1)
  .map((tag, i): [string, number] => [tag, i + 1]);

/** A database of the newest schema in which people have talked, summaries were made, and somebody has opted out. */
async function aLivedInDatabase(): Promise<string> {
  const path = join(aFolder(), 'newest.db');
  const world = await openChatbot({ url: path });
  await world.chatbot.setStrategy(world.session, world.session.id, 'summary-buffer', {
    max_messages: 6,
    keep_messages: 2,
  });
  for (let i = 0; i < 5; i += 1) await world.say(`say ${i}`);
  await world.chatbot.folded(5_000);
  await world.say('with a quote', { quote: { platformId: 'm1', authorId: 'ada', authorName: 'Ada', text: 'say 0' } });
  await world.chatbot.erase(world.session, ['m5']);
  await world.chatbot.folded(5_000);
  await world.chatbot.people.setOptOut('server:terminal', 'eve', true, 1);
  await world.close();
  return path;
}

/** A database as an earlier program made it, by the migrations of its time, with as much of these rows as it could hold. */
function anEarlierDatabase(newest: string, count: number): string {
  const path = join(aFolder(), 'keepsake.db');
  const client = new Sqlite(path);
  client.pragma('journal_mode = WAL');
  migrate(drizzle({ client }), { migrationsFolder: firstMigrations(count) });
  client.prepare('ATTACH ? AS newest').run(newest);
  const names = (schema: string, table: string) =>
    client.prepare(`SELECT name FROM pragma_table_info(?, ?)`).pluck().all(table, schema) as string[];
  client.pragma('foreign_keys = OFF');
  for (const table of tablesOf(client).filter((name) => name !== '__drizzle_migrations')) {
    const there = names('newest', table);
    const shared = names('main', table)
      .filter((name) => there.includes(name))
      .join(', ');
    if (shared !== '') client.exec(`INSERT INTO main.${table} (${shared}) SELECT ${shared} FROM newest.${table}`);
  }
  client.close();
  return path;
}

/** Who takes part in which session, and under which names. */
function participantsIn(path: string): unknown {
  const client = new Sqlite(path, { readonly: true });
  try {
    const all = 'SELECT author_id, names FROM participants ORDER BY author_id';
    return (client.prepare(all).raw().all() as [string, string][]).map(([id, names]) => [id, names.split('\n').sort()]);
  } finally {
    client.close();
  }
}

function rowsIn(path: string): Record<string, number> {
  const client = new Sqlite(path, { readonly: true });
  try {
    const { __drizzle_migrations: _, ...rows } = countRows(client);
    return rows;
  } finally {
    client.close();
  }
}

/** What the next question would send, word for word. */
async function promptFrom(path: string): Promise<unknown> {
  const world = await openChatbot({ url: path });
  onTestFinished(() => world.close());
  await world.say('what now?', { platformId: 'the last one', createdAt: world.time.now });
  return world.model.asked.at(-1)?.prompt;
}

describe('a database that an earlier program made', () => {
  it('learns who is quoted in it, and under which names people appear', async () => {
    const path = anEarlierDatabase(await aLivedInDatabase(), 3);
    const client = new Sqlite(path);
    client.exec("DELETE FROM participants; INSERT INTO participants VALUES ('gone', 'terminal:test')");
    const [first, second, third] = client.prepare("SELECT seq FROM messages WHERE role = 'user'").pluck().all();
    client.prepare("UPDATE messages SET author_name = 'Ada\nL.' WHERE seq = ?").run(first);
    const quote = "quote_platform_id = '1', quote_author_id = ?, quote_author_name = ?, quote_text = 'x'";
    client.prepare(`UPDATE messages SET ${quote} WHERE seq = ?`).run('eve', 'Eve', second);
    client.prepare(`UPDATE messages SET ${quote} WHERE seq = ?`).run('', 'nobody', third);
    client.close();
    await (await openStore(path)).close();
    expect(participantsIn(path)).toEqual([
      ['ada', ['Ada', 'Ada L.']],
      ['eve', ['Eve']],
      ['gone', ['']],
    ]);
  });

  it.each(earlier)(
    'by the migrations up to %s opens with all its rows, and sends the same prompt',
    async (_, count) => {
      const newest = await aLivedInDatabase();
      const path = anEarlierDatabase(newest, count);
      const before = rowsIn(path);
      expect(before).toMatchObject({ messages: 10, sessions: 1 });
      await (await openStore(path)).close();
      const after = rowsIn(path);
      expect(Object.fromEntries(Object.keys(before).map((table) => [table, after[table]]))).toEqual(before);
      expect(Object.keys(after).sort()).toEqual(Object.keys(rowsIn(newest)).sort());
      const prompt = await promptFrom(path);
      expect(prompt).toEqual(await promptFrom(newest));
      expect(JSON.stringify(prompt)).toMatch(/summary \d.*with a quote/u);
    },
  );
});

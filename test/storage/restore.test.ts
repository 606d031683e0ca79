import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/conversation/store.js';
import { backUp } from '../../src/storage/backup.js';
import { openStore } from '../../src/storage/open.js';
import { type RestoreOptions, restore } from '../../src/storage/restore.js';
import { aMessage, aQuestion, converse, mustAppend, summarize } from '../support/conversation.js';
import { aFolder } from '../support/folder.js';
import { messagesIn } from './contract/fixture.js';
import { aDatabase, addMigration, firstMigrations, refusal, someMigrations } from './files.js';

const NOW = Date.UTC(2030, 0, 1);
const OPTIONS: RestoreOptions = { force: true, retentionDays: 30, now: NOW };
const SESSION = 'discord:100';
let backups = 0;

/** Carries something out on a database, as one run of the program. */
async function within<T>(path: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(path);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

function backupOf(path: string): string {
  backups += 1;
  return backUp(path, aFolder(), NOW + backups).file;
}

/** Gives the sessions of a database another age, as those of one that was begun anew have. */
function setCreatedAt(path: string, at: number): void {
  const client = new Sqlite(path);
  client.prepare('UPDATE sessions SET created_at = ?').run(at);
  client.close();
}

function makeForeign(path: string): void {
  rmSync(path);
  new Sqlite(path).exec('CREATE TABLE bookmarks (url text)').close();
}

/** Empties the page of an index; the tables stay whole. */
function damageIndex(path: string, name: string): void {
  const client = new Sqlite(path);
  client.pragma('wal_checkpoint(TRUNCATE)');
  const size = client.pragma('page_size', { simple: true }) as number;
  const find = 'SELECT rootpage FROM sqlite_schema WHERE name = ?';
  const page = client.prepare<[string], number>(find).pluck().get(name) ?? 0;
  client.close();
  writeFileSync(path, readFileSync(path).fill(0, (page - 1) * size, page * size));
}

const textsIn = (path: string, session = SESSION) =>
  within(path, async (store) => (await messagesIn(store, session)).map(({ text }) => text));

const said = (text: string, more = {}) => aMessage({ text, platformId: text, createdAt: NOW - 1_000, ...more });

/** A database with a session that the first `count` migrations have made. */
function anEarlierDatabase(count: number): string {
  const path = join(aFolder(), 'keepsake.db');
  const client = new Sqlite(path);
  migrate(drizzle({ client }), { migrationsFolder: firstMigrations(count) });
  client.prepare('INSERT INTO sessions (id) VALUES (?)').run(SESSION);
  client.close();
  return path;
}

/** A database with three messages and its backup. */
async function aBackedUpDatabase(): Promise<{ path: string; backup: string }> {
  const path = await aDatabase();
  await within(path, async (store) => {
    await store.openSession({ id: SESSION, parentId: null, serverId: '900' });
    for (const text of ['one', 'two', 'three']) await mustAppend(store, said(text, { authorId: text }));
  });
  return { path, backup: backupOf(path) };
}

describe('a restore', () => {
  it('brings back what the backup holds, and keeps the old file under a dated name', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, (store) => mustAppend(store, said('later')));
    const { oldFile, rows, carriedOver } = restore(`file:${path}`, backup, OPTIONS);
    expect(oldFile).toBe(`${path}.replaced-2030-01-01T00-00-00-000Z`);
    expect([rows.messages, carriedOver]).toEqual([3, { erased: 0, edited: 0, emptied: 0 }]);
    expect(await textsIn(path)).toEqual(['one', 'two', 'three']);
    expect(await textsIn(oldFile ?? '')).toEqual(['one', 'two', 'three', 'later']);
    expect(readdirSync(dirname(path)).filter((name) => /restoring|-wal|\.part/u.test(name))).toEqual([]);
  });

  it('goes to a place where there is no database without --force', async () => {
    const { backup } = await aBackedUpDatabase();
    const path = join(aFolder(), 'new/keepsake.db');
    expect(restore(path, backup, { ...OPTIONS, force: false })).toMatchObject({ oldFile: null, carriedOver: null });
    expect(await textsIn(path)).toEqual(['one', 'two', 'three']);
  });

  it('ends the turns that the backup was in the middle of, so that none is answered twice', async () => {
    const path = await aDatabase();
    await within(path, (store) => mustAppend(store, aQuestion({ text: 'asked' })));
    const backup = backupOf(path);
    restore(path, backup, OPTIONS);
    expect(await within(path, (store) => store.pendingSessions())).toEqual([]);
    expect(await within(path, (store) => messagesIn(store))).toMatchObject([{ text: 'asked', state: 'failed' }]);
  });

  it('migrates a backup of an older version, and a copy of an older database that it replaces', async () => {
    const { path } = await aBackedUpDatabase();
    const [backup, old] = [anEarlierDatabase(2), anEarlierDatabase(1)];
    expect(restore(path, backup, OPTIONS).rows.sessions).toBe(1);
    await (await openStore(path)).close();
    const client = new Sqlite(old);
    client.prepare('INSERT INTO tombstones VALUES (?, ?, ?)').run(SESSION, 'two', NOW);
    client.close();
    const { backup: newer } = await aBackedUpDatabase();
    expect(restore(old, newer, OPTIONS).carriedOver).toEqual({ erased: 1, edited: 0, emptied: 0 });
    expect(await textsIn(old)).toEqual(['one', 'three']);
  });
});

describe('a restore is refused, and changes nothing,', () => {
  it.each<[string, (path: string, backup: string) => unknown, string, RegExp]>([
    [
      'without --force where a database exists',
      (path, backup) => restore(path, backup, { ...OPTIONS, force: false }),
      'storage',
      /--force/u,
    ],
    [
      'when the backup does not exist',
      (path) => restore(path, '/nowhere/at.all', OPTIONS),
      'no-folder',
      /does not exist/u,
    ],
    [
      'when the backup is the database itself',
      (path) => restore(path, path, OPTIONS),
      'storage',
      /is the database itself/u,
    ],
    [
      'when the file is no database',
      (path, backup) => {
        writeFileSync(backup, 'no database at all');
        restore(path, backup, OPTIONS);
      },
      'not-a-database',
      /no SQLite/u,
    ],
    [
      'when the backup is damaged',
      (path, backup) => {
        const bytes = readFileSync(backup);
        writeFileSync(backup, bytes.fill(0xff, 4_096, 8_192));
        restore(path, backup, OPTIONS);
      },
      'corrupt',
      /damaged/u,
    ],
    [
      'when the backup broke off',
      (path, backup) => {
        truncateSync(backup, 4_096 * 3);
        restore(path, backup, OPTIONS);
      },
      'corrupt',
      /damaged/u,
    ],
  ])('%s', async (_, attempt, code, sentence) => {
    const { path, backup } = await aBackedUpDatabase();
    const before = readFileSync(path);
    expect(await refusal(() => attempt(path, backup))).toEqual([code, expect.stringMatching(sentence)]);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(dirname(path)).filter((name) => /restoring|replaced/u.test(name))).toEqual([]);
  });

  it('while the bot runs', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, async () => {
      expect((await refusal(() => restore(path, backup, OPTIONS)))[0]).toBe('locked');
    });
  });

  it('when a newer program made the backup', async () => {
    const { path } = await aBackedUpDatabase();
    const migrationsFolder = someMigrations();
    addMigration(migrationsFolder, '9000_next', ['CREATE TABLE next (id integer)']);
    const newer = backupOf(await aDatabase({ migrationsFolder }));
    expect((await refusal(() => restore(path, newer, OPTIONS)))[0]).toBe('schema-from-future');
  });

  it('when a newer program made the database that it would replace', async () => {
    const { backup } = await aBackedUpDatabase();
    const migrationsFolder = someMigrations();
    addMigration(migrationsFolder, '9000_next', ['CREATE TABLE next (id integer)']);
    const path = await aDatabase({ migrationsFolder });
    const before = readFileSync(path);
    expect((await refusal(() => restore(path, backup, OPTIONS)))[0]).toBe('schema-from-future');
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(dirname(path)).filter((name) => /restoring|replaced/u.test(name))).toEqual([]);
  });
});

describe('what went since the backup does not come back:', () => {
  it('a deleted message, whether it is delivered again or not', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, (store) => store.erase(SESSION, ['two'], NOW));
    expect(restore(path, backup, OPTIONS).carriedOver?.erased).toBe(1);
    expect(await textsIn(path)).toEqual(['one', 'three']);
    expect(await within(path, (store) => store.append(said('two')))).toBeNull();
  });

  it('a deleted message, for as long as its tombstone would have lasted', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, (store) => store.erase(SESSION, ['two'], NOW - 10_000));
    restore(path, backup, OPTIONS);
    await within(path, (store) => store.sweepTombstones(NOW - 10_000));
    expect(await within(path, (store) => store.append(said('two')))).not.toBeNull();
  });

  it('an answer that was deleted where it was shown', async () => {
    const path = await aDatabase();
    const { question } = await within(path, async (store) => {
      const turn = await converse(store, { text: 'asked', createdAt: NOW }, { text: 'answered' });
      const delivery = { sessionId: SESSION, answerTo: turn.question.platformId, chunk: 0, nonce: 'n' };
      await store.planDelivery({ ...delivery, messageId: 'shown' });
      return turn;
    });
    const backup = backupOf(path);
    await within(path, async (store) => {
      await store.erase(SESSION, ['shown'], NOW);
      await store.eraseAnswer(SESSION, question.platformId);
    });
    expect(restore(path, backup, OPTIONS).carriedOver?.erased).toBe(1);
    expect(await textsIn(path)).toEqual(['asked']);
  });

  it('an answer that lost its question, and quotes of what was deleted', async () => {
    const path = await aDatabase();
    const quote = { platformId: 'asked', authorId: 'ada', authorName: 'Ada', text: 'asked' };
    await within(path, async (store) => {
      await converse(store, { platformId: 'asked', text: 'asked', createdAt: NOW }, { text: 'answered' });
      await mustAppend(store, said('reply', { quote }));
    });
    const backup = backupOf(path);
    await within(path, (store) => store.erase(SESSION, ['asked'], NOW));
    restore(path, backup, OPTIONS);
    expect(await within(path, (store) => messagesIn(store))).toMatchObject([{ text: 'reply', quote: null }]);
  });

  it('the text before an edit, and a quote that was taken back', async () => {
    const { path } = await aBackedUpDatabase();
    const quote = { platformId: 'elsewhere', authorId: 'eve', authorName: 'Eve', text: 'quoted' };
    await within(path, async (store) => {
      await mustAppend(store, said('reply', { quote }));
      await store.saveCounts([1, 2, 3, 4].map((seq) => ({ seq, tokens: 5, encoding: 'o200k_base' })));
    });
    const backup = backupOf(path);
    await within(path, async (store) => {
      await store.edit(SESSION, 'two', 'two, edited');
      await store.erase(SESSION, ['elsewhere'], NOW);
    });
    expect(restore(path, backup, OPTIONS).carriedOver?.edited).toBe(2);
    const rows = await within(path, (store) => messagesIn(store));
    expect(rows.map(({ text, tokens }) => [text, tokens])).toEqual([
      ['one', 5],
      ['two, edited', null],
      ['three', 5],
      ['reply', null],
    ]);
    expect(rows.map((row) => row.quote)).toEqual(rows.map(() => null));
  });

  it.each<[string, (store: Store) => Promise<unknown>]>([
    ['a deletion', (store) => store.erase(SESSION, ['two'], NOW)],
    ['an edit', (store) => store.edit(SESSION, 'two', 'edited')],
  ])('what a summary said before %s: it is not sent before it is made anew', async (_, change) => {
    const { path } = await aBackedUpDatabase();
    await within(path, (store) => summarize(store, 2));
    const backup = backupOf(path);
    await within(path, change);
    restore(path, backup, OPTIONS);
    const history = await within(path, (store) => store.loadHistory(SESSION, { summary: true }));
    expect([history.summary, history.dirtyThrough]).toEqual([null, 2]);
  });

  it.each<[string, (store: Store) => Promise<unknown>]>([
    ['a deletion', (store) => store.erase(SESSION, ['two'], NOW)],
    ['an edit', (store) => store.edit(SESSION, 'two', 'edited')],
  ])('what a summary said before %s, when rows cannot rebuild it: it is dropped', async (_, change) => {
    const { path } = await aBackedUpDatabase();
    await within(path, async (store) => {
      await summarize(store, 2);
      await store.sweep(SESSION, { coveredUntil: 0, unreachedBelow: 2 }, 9);
    });
    const backup = backupOf(path);
    await within(path, change);
    restore(path, backup, OPTIONS);
    expect((await within(path, (store) => store.sessionFacts(SESSION))).summaries).toEqual([]);
  });

  it('an opt-out: it stays, and somebody who opted in again must do so once more', async () => {
    const path = await aDatabase();
    await within(path, (store) => store.setOptOut('server:900', 'ada', true, NOW));
    const backup = backupOf(path);
    await within(path, async (store) => {
      await store.setOptOut('server:900', 'ada', false, NOW);
      await store.setOptOut('server:900', 'ben', true, NOW);
    });
    restore(path, backup, OPTIONS);
    const out = await within(path, (store) =>
      Promise.all(['ada', 'ben', 'eve'].map(async (id) => (await store.optOut('server:900', id)).optedOut)),
    );
    expect(out).toEqual([true, true, false]);
  });
});

describe('of a session in which something was forgotten since, only what was left of it comes back:', () => {
  it('nobody who was forgotten, with the answers to them, also after their tombstones are gone', async () => {
    const path = await aDatabase();
    await within(path, async (store) => {
      await converse(store, { text: 'mine', authorId: 'eve', createdAt: NOW }, { text: 'to eve' });
      await converse(store, { text: 'other', createdAt: NOW }, { text: 'to ada' });
    });
    const backup = backupOf(path);
    await within(path, async (store) => {
      await store.forgetAuthor(SESSION, 'eve');
      await store.sweepTombstones(NOW);
    });
    expect(restore(path, backup, OPTIONS).carriedOver).toEqual({ erased: 2, edited: 0, emptied: 0 });
    expect(await textsIn(path)).toEqual(['other', 'to ada']);
    // Their names went with them: a second forget finds nobody.
    expect((await within(path, (store) => store.forgetAuthor(SESSION, 'eve'))).names).toEqual([]);
  });

  it('nothing, if all of it was forgotten', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, async (store) => {
      await store.forgetSession(SESSION);
      await mustAppend(store, said('afresh'));
    });
    expect(restore(path, backup, OPTIONS).carriedOver).toEqual({ erased: 3, edited: 0, emptied: 1 });
    expect(await textsIn(path)).toEqual([]);
    expect(await within(path, (store) => store.append(said('one')))).toBeNull();
  });

  it('nothing, if all of it was forgotten in a database that was begun anew', async () => {
    const { path } = await aBackedUpDatabase();
    await within(path, async (store) => {
      await store.forgetLast(SESSION, 'three');
      await mustAppend(store, said('four'));
    });
    const backup = backupOf(path);
    const { path: anew } = await aBackedUpDatabase();
    setCreatedAt(anew, NOW);
    await within(anew, (store) => store.forgetSession(SESSION));
    restore(anew, backup, OPTIONS);
    expect(await textsIn(anew)).toEqual([]);
  });

  it('not what retention has deleted since, which cannot be told from what was forgotten', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, async (store) => {
      await store.sweep(SESSION, { coveredUntil: 0, unreachedBelow: 2 }, 9);
      await store.forgetAuthor(SESSION, 'two');
    });
    restore(path, backup, OPTIONS);
    expect(await textsIn(path)).toEqual(['three']);
  });

  it('no summary that was dropped or made anew since', async () => {
    const { path } = await aBackedUpDatabase();
    await within(path, (store) => summarize(store, 2, { dropCovered: true }));
    const backup = backupOf(path);
    await within(path, (store) => store.forgetAuthor(SESSION, 'one'));
    restore(path, backup, OPTIONS);
    expect((await within(path, (store) => store.sessionFacts(SESSION))).summaries).toEqual([]);
  });

  it('an unchanged summary whose rows are gone: who is in it can still be forgotten', async () => {
    const { path } = await aBackedUpDatabase();
    await within(path, (store) => summarize(store, 2, { createdAt: 1, text: 'one, two' }));
    const backup = backupOf(path);
    await within(path, async (store) => {
      await store.sweep(SESSION, { coveredUntil: 1, unreachedBelow: null }, 9);
      await store.forgetLast(SESSION, 'three');
    });
    restore(path, backup, OPTIONS);
    const history = await within(path, (store) => store.loadHistory(SESSION, { summary: true }));
    expect([history.summary?.text, history.messages]).toEqual(['one, two', []]);
    const { unrebuildable } = await within(path, (store) => store.forgetAuthor(SESSION, 'one'));
    expect(unrebuildable?.text).toBe('one, two');
  });

  it('not what was said after the backup and forgotten: catch-up does not read it again', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, async (store) => {
      await mustAppend(store, said('later', { createdAt: NOW + 5_000 }));
      await store.forgetSession(SESSION);
    });
    restore(path, backup, OPTIONS);
    expect(await within(path, (store) => store.missedSince(SESSION))).toBe(NOW + 5_001);
  });

  it('not what was forgotten by a program that did not record how far it had read', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, (store) => store.forgetSession(SESSION));
    const client = new Sqlite(path);
    client.exec('UPDATE sessions SET gone_through = NULL');
    client.close();
    restore(path, backup, OPTIONS);
    expect(await within(path, (store) => store.missedSince(SESSION))).toBeNull();
  });

  it('with epoch and revision raised, so that earlier work cannot write to it', async () => {
    const { path, backup } = await aBackedUpDatabase();
    const look = () => within(path, (store) => store.loadHistory(SESSION, { summary: true }));
    await within(path, (store) => store.forgetLast(SESSION, null));
    const { epoch, revision } = await look();
    restore(path, backup, OPTIONS);
    expect(await look()).toMatchObject({ epoch, revision: revision + 1 });
  });
});

describe('what went for other reasons comes back:', () => {
  it('rows that retention has deleted since', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, (store) => summarize(store, 2, { dropCovered: true }));
    restore(path, backup, OPTIONS);
    expect(await textsIn(path)).toEqual(['one', 'two', 'three']);
  });

  it('but no missing row when the backup is older than tombstones last', async () => {
    const path = await aDatabase();
    await within(path, async (store) => {
      for (const text of ['one', 'two']) await mustAppend(store, said(text));
      await converse(store, { platformId: 'asked', text: 'asked', createdAt: NOW }, { text: 'answered' });
    });
    const backup = backupOf(path);
    await within(path, async (store) => {
      await summarize(store, 2, { dropCovered: true });
      await store.eraseAnswer(SESSION, 'asked');
    });
    const { carriedOver } = restore(path, backup, { ...OPTIONS, now: NOW + 31 * 86_400_000 });
    expect(carriedOver).toEqual({ erased: 3, edited: 0, emptied: 0 });
    expect(await textsIn(path)).toEqual(['asked']);
  });

  it('what a database that was begun anew never held, but for what was deleted in it', async () => {
    const { backup } = await aBackedUpDatabase();
    const anew = await aDatabase();
    await within(anew, async (store) => {
      for (const text of ['a', 'b', 'c', 'd']) await mustAppend(store, said(text));
      await store.erase(SESSION, ['two'], NOW);
    });
    setCreatedAt(anew, NOW);
    restore(anew, backup, OPTIONS);
    expect(await textsIn(anew)).toEqual(['one', 'three']);
  });

  it('what a restore of an older backup had lost, when the newer one is restored after it', async () => {
    const { path, backup: older } = await aBackedUpDatabase();
    await within(path, (store) => mustAppend(store, said('later')));
    const newer = backupOf(path);
    restore(path, older, OPTIONS);
    await within(path, (store) => mustAppend(store, said('between')));
    restore(path, newer, { ...OPTIONS, now: NOW + 1_000 });
    expect(await textsIn(path)).toEqual(['one', 'two', 'three', 'later']);
  });

  it('what was deleted, also when an index of the old database is damaged', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, (store) => store.erase(SESSION, ['two'], NOW));
    damageIndex(path, 'messages_order');
    restore(path, backup, OPTIONS);
    expect(await textsIn(path)).toEqual(['one', 'three']);
  });

  it.each<[string, (path: string) => void]>([
    ['broke off', (path) => truncateSync(path, 100)],
    ['is damaged', (path) => writeFileSync(path, readFileSync(path).fill(0xff, 4_096, 8_192))],
    ['was overwritten', (path) => writeFileSync(path, 'by mistake')],
    ['is of another program', (path) => makeForeign(path)],
  ])('all of the backup, when the old database %s and so cannot be read', async (_, spoil) => {
    const { path, backup } = await aBackedUpDatabase();
    spoil(path);
    const before = readFileSync(path);
    const { carriedOver, oldFile } = restore(path, backup, OPTIONS);
    expect([carriedOver, readFileSync(oldFile ?? '').equals(before)]).toEqual([null, true]);
    expect(await textsIn(path)).toEqual(['one', 'two', 'three']);
  });
});

import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/conversation/store.js';
import { backUp } from '../../src/storage/backup.js';
import { openStore } from '../../src/storage/open.js';
import { type RestoreOptions, restore } from '../../src/storage/restore.js';
import { aMessage, aQuestion, converse, keep, summarise } from '../support/conversation.js';
import { told } from './contract/stage.js';
import { aDatabase, addMigration, aFolder, refusal, someMigrations } from './files.js';

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

const textsIn = (path: string, session = SESSION) =>
  within(path, async (store) => (await told(store, session)).map(({ text }) => text));

const said = (text: string, more = {}) => aMessage({ text, platformId: text, createdAt: NOW - 1_000, ...more });

/** A database with three messages and its backup. */
async function aBackedUpDatabase(): Promise<{ path: string; backup: string }> {
  const path = await aDatabase();
  await within(path, async (store) => {
    await store.openSession({ id: SESSION, parentId: null, serverId: '900' });
    for (const text of ['one', 'two', 'three']) await keep(store, said(text, { authorId: text }));
  });
  return { path, backup: backupOf(path) };
}

describe('a restore', () => {
  it('brings back what the backup holds, and keeps the old file under a dated name', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, (store) => keep(store, said('later')));
    const { kept, rows, carried } = restore(`file:${path}`, backup, OPTIONS);
    expect(kept).toBe(`${path}.replaced-2030-01-01T00-00-00-000Z`);
    expect([rows.messages, carried]).toEqual([3, { erased: 0, edited: 0, emptied: 0 }]);
    expect(await textsIn(path)).toEqual(['one', 'two', 'three']);
    expect(await textsIn(kept ?? '')).toEqual(['one', 'two', 'three', 'later']);
    expect(readdirSync(dirname(path)).filter((name) => /restoring|-wal|\.part/u.test(name))).toEqual([]);
  });

  it('goes to a place where there is no database without --force', async () => {
    const { backup } = await aBackedUpDatabase();
    const path = join(aFolder(), 'new/keepsake.db');
    expect(restore(path, backup, { ...OPTIONS, force: false })).toMatchObject({ kept: null, carried: null });
    expect(await textsIn(path)).toEqual(['one', 'two', 'three']);
  });

  it('gives no number twice that was ever given to a message', async () => {
    const { path, backup } = await aBackedUpDatabase();
    const later = await within(path, (store) => keep(store, said('later')));
    restore(path, backup, OPTIONS);
    const next = await within(path, (store) => keep(store, said('next')));
    expect(next.seq).toBeGreaterThan(later.seq);
  });

  it('ends the turns that the backup was in the middle of, so that none is answered twice', async () => {
    const path = await aDatabase();
    await within(path, (store) => keep(store, aQuestion({ text: 'asked' })));
    const backup = backupOf(path);
    restore(path, backup, OPTIONS);
    expect(await within(path, (store) => store.pendingSessions())).toEqual([]);
    expect(await within(path, (store) => told(store))).toMatchObject([{ text: 'asked', state: 'failed' }]);
  });

  it('migrates a backup of an older version', async () => {
    const path = await aDatabase();
    const migrationsFolder = someMigrations();
    const backup = backupOf(path);
    addMigration(migrationsFolder, '9000_next', ['CREATE TABLE next (id integer)']);
    restore(path, backup, OPTIONS);
    await (await openStore(path, { migrationsFolder })).close();
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
});

describe('what went since the backup does not come back:', () => {
  it('a deleted message, whether it is delivered again or not', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, (store) => store.erase(SESSION, ['two'], NOW));
    expect(restore(path, backup, OPTIONS).carried?.erased).toBe(1);
    expect(await textsIn(path)).toEqual(['one', 'three']);
    expect(await within(path, (store) => store.append(said('two')))).toBeNull();
  });

  it('a person, with the answers to them, also after their tombstones are gone', async () => {
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
    restore(path, backup, OPTIONS);
    expect(await textsIn(path)).toEqual(['other', 'to ada']);
    // Their names went with them: a second forget finds nobody.
    expect((await within(path, (store) => store.forgetAuthor(SESSION, 'eve'))).names).toEqual([]);
  });

  it('a forgotten session', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, async (store) => {
      await store.forgetSession(SESSION);
      await keep(store, said('afresh'));
    });
    restore(path, backup, OPTIONS);
    expect(await textsIn(path)).toEqual([]);
    expect(await within(path, (store) => store.append(said('one')))).toBeNull();
  });

  it('what was said after the backup in a session that was forgotten: it counts as heard', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, async (store) => {
      await keep(store, said('later', { createdAt: NOW + 5_000 }));
      await store.forgetSession(SESSION);
    });
    restore(path, backup, OPTIONS);
    expect(await within(path, (store) => store.missedSince(SESSION))).toBe(NOW + 5_001);
  });

  it('a session that was forgotten by a program that did not note how far it had heard: none of it is read again', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, (store) => store.forgetSession(SESSION));
    const client = new Sqlite(path);
    client.exec('ALTER TABLE sessions DROP COLUMN gone_through');
    client.close();
    restore(path, backup, OPTIONS);
    expect(await within(path, (store) => store.missedSince(SESSION))).toBeNull();
  });

  it('an answer that was deleted where it was shown', async () => {
    const path = await aDatabase();
    const { question } = await within(path, (store) => converse(store, { text: 'asked' }, { text: 'answered' }));
    const backup = backupOf(path);
    await within(path, (store) => store.eraseAnswer(SESSION, question.platformId));
    restore(path, backup, OPTIONS);
    expect(await textsIn(path)).toEqual(['asked']);
  });

  it('the text before an edit, and a quote that was taken back', async () => {
    const { path, backup: _ } = await aBackedUpDatabase();
    const quote = { platformId: 'elsewhere', authorId: 'eve', authorName: 'Eve', text: 'quoted' };
    await within(path, (store) => keep(store, said('reply', { quote })));
    const backup = backupOf(path);
    await within(path, async (store) => {
      await store.edit(SESSION, 'two', 'two, edited');
      await store.erase(SESSION, ['elsewhere'], NOW);
    });
    expect(restore(path, backup, OPTIONS).carried?.edited).toBe(2);
    expect(await textsIn(path)).toEqual(['one', 'two, edited', 'three', 'reply']);
    const rows = await within(path, (store) => told(store));
    expect(rows.map((row) => [row.quote, row.tokens])).toEqual(rows.map(() => [null, null]));
  });

  it('what a summary said of it: the summary is not sent before it is made anew', async () => {
    const { path } = await aBackedUpDatabase();
    await within(path, (store) => summarise(store, 2));
    const backup = backupOf(path);
    await within(path, (store) => store.erase(SESSION, ['two'], NOW));
    restore(path, backup, OPTIONS);
    const history = await within(path, (store) => store.loadHistory(SESSION, { summary: true }));
    expect([history.summary, history.dirtyThrough]).toEqual([null, 2]);
  });

  it('a summary over rows that are gone for good, when a person was forgotten since', async () => {
    const { path } = await aBackedUpDatabase();
    await within(path, (store) => summarise(store, 2, { dropCovered: true }));
    const backup = backupOf(path);
    await within(path, (store) => store.forgetAuthor(SESSION, 'one'));
    restore(path, backup, OPTIONS);
    expect((await within(path, (store) => store.sessionFacts(SESSION))).summaries).toEqual([]);
  });

  it('work that was begun before a forget: the epoch stays raised', async () => {
    const { path, backup } = await aBackedUpDatabase();
    const epoch = await within(path, async (store) => {
      await store.forgetLast(SESSION, null);
      return (await store.sessionFacts(SESSION)).epoch;
    });
    restore(path, backup, OPTIONS);
    expect((await within(path, (store) => store.sessionFacts(SESSION))).epoch).toBe(epoch);
  });

  it('a budget: what was used since the backup stays used', async () => {
    const path = await aDatabase();
    const payer = { scopeId: 'server:900', day: '2030-01-01', authorId: 'ada', sessionId: SESSION };
    await within(path, (store) => store.settle(payer, 0, 100));
    const backup = backupOf(path);
    await within(path, (store) => store.settle(payer, 0, 900));
    restore(path, backup, OPTIONS);
    const account = await within(path, (store) => store.account('server:900', '2030-01-01'));
    expect(account).toMatchObject([{ tokens: 1_000, calls: 2 }]);
  });

  it('an opt-out that was taken since stays, and so does one that was taken back', async () => {
    const path = await aDatabase();
    await within(path, (store) => store.setOptOut('server:900', 'ada', true, NOW));
    const backup = backupOf(path);
    await within(path, async (store) => {
      await store.setOptOut('server:900', 'ada', false, NOW);
      await store.setOptOut('server:900', 'ben', true, NOW);
    });
    restore(path, backup, OPTIONS);
    const out = await within(path, (store) =>
      Promise.all(['ada', 'ben'].map(async (id) => (await store.optOut('server:900', id)).optedOut)),
    );
    expect(out).toEqual([false, true]);
  });
});

describe('what went for other reasons comes back:', () => {
  it('rows that retention has deleted since', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, (store) => summarise(store, 2, { dropCovered: true }));
    restore(path, backup, OPTIONS);
    expect(await textsIn(path)).toEqual(['one', 'two', 'three']);
  });

  it('but not when the backup is so old that a deletion may have been forgotten by now', async () => {
    const { path, backup } = await aBackedUpDatabase();
    await within(path, (store) => summarise(store, 2, { dropCovered: true }));
    restore(path, backup, { ...OPTIONS, now: NOW + 31 * 86_400_000 });
    expect(await textsIn(path)).toEqual(['three']);
  });

  it('all but what was deleted, over the database of another host that knows the same channel', async () => {
    const { backup } = await aBackedUpDatabase();
    const other = await aDatabase();
    await within(other, async (store) => {
      for (const text of ['a', 'b', 'c', 'd']) await keep(store, said(text));
      await store.erase(SESSION, ['two'], NOW);
      await store.forgetSession(SESSION);
    });
    const client = new Sqlite(other);
    client.exec('UPDATE sessions SET created_at = created_at - 5000');
    client.close();
    restore(other, backup, OPTIONS);
    expect(await textsIn(other)).toEqual(['one', 'three']);
  });

  it('what a restore of an older backup had lost, when the newer one is restored after it', async () => {
    const { path, backup: older } = await aBackedUpDatabase();
    await within(path, (store) => keep(store, said('later')));
    const newer = backupOf(path);
    restore(path, older, OPTIONS);
    await within(path, (store) => keep(store, said('between')));
    restore(path, newer, { ...OPTIONS, now: NOW + 1_000 });
    expect(await textsIn(path)).toEqual(['one', 'two', 'three', 'later']);
  });

  it('not, when something was forgotten after the lines parted: then the session is empty', async () => {
    const { path, backup: older } = await aBackedUpDatabase();
    await within(path, (store) => keep(store, said('later', { authorId: 'eve' })));
    const newer = backupOf(path);
    restore(path, older, OPTIONS);
    await within(path, (store) => store.forgetAuthor(SESSION, 'eve'));
    expect(restore(path, newer, { ...OPTIONS, now: NOW + 1_000 }).carried?.emptied).toBe(1);
    expect(await textsIn(path)).toEqual([]);
  });

  it('all of the backup, when the old database can no longer be read', async () => {
    const { path, backup } = await aBackedUpDatabase();
    truncateSync(path, 100);
    const { carried, kept } = restore(path, backup, OPTIONS);
    expect([carried, existsSync(kept ?? '')]).toEqual([null, true]);
    expect(await textsIn(path)).toEqual(['one', 'two', 'three']);
  });
});

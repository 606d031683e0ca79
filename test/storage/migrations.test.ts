import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { aMessage, mustAppend } from '../support/conversation.js';
import { messagesIn } from './contract/fixture.js';
import { aDatabase, addMigration, aStore, refusal, someMigrations } from './files.js';

/** A database with one message in it, and migrations of which one is not applied yet. */
async function anOldDatabase(statements: readonly string[]) {
  const path = await aDatabase();
  const store = await openStore(path);
  await mustAppend(store, aMessage({ text: 'kept' }));
  await store.close();
  const migrationsFolder = someMigrations();
  addMigration(migrationsFolder, '9000_next', statements);
  return { path, migrationsFolder };
}

const copiesOf = (path: string) =>
  readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.copy`));

describe('an update of the schema', () => {
  it('copies the database first, and keeps the newest two copies', async () => {
    const { path, migrationsFolder } = await anOldDatabase(['CREATE TABLE next1 (id integer)']);
    for (let day = 1; day <= 3; day += 1) {
      const clock = () => Date.UTC(2030, 0, day);
      await (await openStore(path, { migrationsFolder, clock })).close();
      addMigration(migrationsFolder, `900${day}_next`, [`CREATE TABLE later${day} (id integer)`]);
    }
    expect(copiesOf(path).map((name) => name.slice(-24, -14))).toEqual(['2030-01-02', '2030-01-03']);
    const copy = new Sqlite(join(dirname(path), copiesOf(path)[0] ?? ''), { readonly: true });
    expect(copy.prepare('SELECT text FROM messages').pluck().all()).toEqual(['kept']);
    copy.close();
  });

  it('makes no copy when there is nothing to change, or nothing to lose', async () => {
    const path = await aDatabase();
    await (await openStore(path)).close();
    expect(copiesOf(path)).toEqual([]);
  });

  it('that fails leaves the database as it was, and works once it is mended', async () => {
    const { path, migrationsFolder } = await anOldDatabase([
      'CREATE TABLE a (id integer)',
      'CREATE TABEL b (id integer)',
    ]);
    expect(await refusal(openStore(path, { migrationsFolder }))).toEqual([
      'migration-failed',
      expect.stringContaining('unchanged'),
    ]);
    const look = new Sqlite(path, { readonly: true });
    expect(look.prepare("SELECT count(*) FROM sqlite_schema WHERE name IN ('a', 'b')").pluck().get()).toBe(0);
    look.close();
    writeFileSync(join(migrationsFolder, '9000_next.sql'), 'CREATE TABLE a (id integer)');
    expect(await messagesIn(await aStore(path, { migrationsFolder }))).toMatchObject([{ text: 'kept' }]);
  });

  it('that rebuilds a table does not take the rows of its children with it', async () => {
    const { path, migrationsFolder } = await anOldDatabase([
      'PRAGMA foreign_keys=OFF',
      'CREATE TABLE __new_sessions AS SELECT * FROM sessions',
      'DROP TABLE sessions',
      'ALTER TABLE __new_sessions RENAME TO sessions',
      'CREATE UNIQUE INDEX sessions_id ON sessions (id)',
      'PRAGMA foreign_keys=ON',
    ]);
    expect(await messagesIn(await aStore(path, { migrationsFolder }))).toMatchObject([{ text: 'kept' }]);
  });

  it('that leaves rows without what they point to is undone', async () => {
    const { path, migrationsFolder } = await anOldDatabase(['DELETE FROM sessions']);
    expect((await refusal(openStore(path, { migrationsFolder })))[0]).toBe('migration-failed');
    expect(await messagesIn(await aStore(path))).toMatchObject([{ text: 'kept' }]);
  });
});

describe('a database is refused, and not touched,', () => {
  it('when a newer program made it', async () => {
    const { path, migrationsFolder } = await anOldDatabase(['CREATE TABLE next (id integer)']);
    await (await openStore(path, { migrationsFolder })).close();
    const before = readFileSync(path);
    expect(await refusal(openStore(path))).toEqual(['schema-from-future', expect.stringContaining('update')]);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('when a migration that made it was edited since', async () => {
    const { path, migrationsFolder } = await anOldDatabase(['CREATE TABLE next (id integer)']);
    const first = readdirSync(migrationsFolder).sort()[0] ?? '';
    writeFileSync(join(migrationsFolder, first), `${readFileSync(join(migrationsFolder, first), 'utf8')}\n-- edited`);
    expect(await refusal(openStore(path, { migrationsFolder }))).toEqual([
      'schema-edited',
      expect.stringContaining('unchanged'),
    ]);
    expect(copiesOf(path)).toEqual([]);
  });

  it('when an older migration turned up behind those that were applied', async () => {
    const { path, migrationsFolder } = await anOldDatabase(['CREATE TABLE next (id integer)']);
    await (await openStore(path, { migrationsFolder })).close();
    addMigration(migrationsFolder, '0000_before', ['CREATE TABLE before (id integer)'], 1_000);
    expect((await refusal(openStore(path, { migrationsFolder })))[0]).toBe('schema-edited');
  });

  it('when a migration that made it is missing', async () => {
    const { path, migrationsFolder } = await anOldDatabase(['CREATE TABLE next (id integer)']);
    addMigration(migrationsFolder, '9001_later', ['CREATE TABLE later (id integer)']);
    await (await openStore(path, { migrationsFolder })).close();
    const shorter = someMigrations();
    addMigration(shorter, '9001_later', ['CREATE TABLE later (id integer)'], 9_999_999_999_999);
    expect((await refusal(openStore(path, { migrationsFolder: shorter })))[0]).toBe('schema-edited');
  });
});

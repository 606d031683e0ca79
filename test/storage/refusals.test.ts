import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { aMessage, mustAppend } from '../support/conversation.js';
import { aFolder } from '../support/folder.js';
import { aDatabase, aStore, refusal } from './files.js';

describe('openStore refuses, and touches nothing,', () => {
  it('a second opening, at once and by any name of the file', async () => {
    const path = await aDatabase();
    const store = await aStore(path);
    const link = join(aFolder(), 'link.db');
    symlinkSync(path, link);
    for (const url of [path, pathToFileURL(path).href, link]) {
      expect(await refusal(openStore(url))).toEqual(['locked', expect.stringContaining('end it')]);
    }
    await mustAppend(store, aMessage());
    await store.close();
    await (await openStore(link)).close();
  });

  it('a file that is no database', async () => {
    const path = join(aFolder(), 'notes.txt');
    writeFileSync(path, 'these are my notes, not a database');
    expect(await refusal(openStore(path))).toEqual(['not-a-database', expect.stringContaining('choose another path')]);
    expect(readFileSync(path, 'utf8')).toContain('my notes');
    expect(readdirSync(join(path, '..'))).toEqual(['notes.txt']);
  });

  it('a folder in the place of the file', async () => {
    const path = join(aFolder(), 'keepsake.db');
    mkdirSync(path);
    expect((await refusal(openStore(path)))[0]).toBe('not-a-database');
  });

  it('an empty file where memories were', async () => {
    const path = await aDatabase();
    writeFileSync(path, '');
    const [code, sentence] = await refusal(openStore(path));
    expect([code, sentence]).toEqual(['empty-database', expect.stringContaining('restore a backup')]);
    expect(statSync(path).size).toBe(0);
  });

  it('a missing file whose log is still there', async () => {
    const path = join(aFolder(), 'keepsake.db');
    writeFileSync(`${path}-wal`, 'unfinished writes');
    expect((await refusal(openStore(path)))[0]).toBe('empty-database');
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(`${path}-wal`, 'utf8')).toBe('unfinished writes');
  });

  it('the database of another program', async () => {
    const path = join(aFolder(), 'other.db');
    new Sqlite(path).exec('CREATE TABLE bookmarks (url text)').close();
    expect(await refusal(openStore(path))).toEqual(['not-a-database', expect.stringContaining('another program')]);
    const other = new Sqlite(path, { readonly: true });
    expect(other.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['bookmarks']);
    other.close();
  });

  it('a damaged database', async () => {
    const path = await aDatabase();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 16, 4_096);
    writeFileSync(path, bytes);
    expect(await refusal(openStore(path))).toEqual(['corrupt', expect.stringContaining('restore a backup')]);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('a folder that cannot be made', async () => {
    const file = join(aFolder(), 'file');
    writeFileSync(file, '');
    expect(await refusal(openStore(join(file, 'keepsake.db')))).toEqual([
      'no-folder',
      expect.stringContaining('make it'),
    ]);
    // Node's own recursive mkdir never returns here.
    if (process.platform === 'linux') {
      expect((await refusal(openStore('/proc/nowhere/keepsake.db')))[0]).toBe('no-folder');
    }
    expect((await refusal(openStore('')))[0]).toBe('no-folder');
  });

  it('another kind of database, without repeating its password', async () => {
    const [code, sentence] = await refusal(openStore('postgres://me:hunter2@db/keepsake'));
    expect(code).toBe('storage');
    expect(sentence).not.toContain('hunter2');
    expect(existsSync('postgres:')).toBe(false);
  });

  it('with one sentence and one line each', async () => {
    const path = join(aFolder(), 'x');
    writeFileSync(path, 'x');
    const [, sentence] = await refusal(openStore(path));
    expect(sentence).toMatch(/^[^\n]+\.$/u);
  });
});

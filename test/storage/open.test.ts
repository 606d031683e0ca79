import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { aMessage, keep } from '../support/conversation.js';
import { SESSION, told } from './contract/stage.js';
import { aDatabase, aFolder, aStore, refusal } from './files.js';

const mode = (path: string) => statSync(path).mode & 0o777;

describe('openStore', () => {
  it('makes folder and database for their owner only, whatever the umask', async () => {
    const before = process.umask(0);
    const path = join(aFolder(), 'deep/er/keepsake.db');
    const store = await openStore(path);
    await keep(store, aMessage());
    process.umask(before);
    expect([mode(join(path, '..')), mode(join(path, '../..'))]).toEqual([0o700, 0o700]);
    expect(['', '-wal', '-shm', '.lock'].map((rest) => mode(path + rest))).toEqual(Array(4).fill(0o600));
    await store.close();
    expect(readdirSync(join(path, '..')).sort()).toEqual(['keepsake.db', 'keepsake.db.lock']);
  });

  it('takes other users away from a database that was put there for all', async () => {
    const path = await aDatabase();
    chmodSync(path, 0o644);
    await aStore(path);
    expect(mode(path)).toBe(0o600);
  });

  it('keeps what was said from one opening to the next', async () => {
    const path = await aDatabase();
    const first = await openStore(path);
    const kept = await keep(first, aMessage());
    await first.close();
    const second = await aStore(path);
    expect(await told(second)).toEqual([kept]);
    expect((await keep(second, aMessage())).seq).toBeGreaterThan(kept.seq);
  });

  it('never gives a number again, though its message is gone and the store was opened anew', async () => {
    const path = await aDatabase();
    const first = await openStore(path);
    const { seq } = await keep(first, aMessage());
    await first.forgetSession(SESSION.id);
    await first.close();
    expect((await keep(await aStore(path), aMessage())).seq).toBeGreaterThan(seq);
  });

  it('reads a path, a file: URL and a relative file: URL alike', async () => {
    const path = await aDatabase();
    const before = process.cwd();
    process.chdir(join(path, '..'));
    for (const url of [
      path,
      pathToFileURL(path).href,
      'file:keepsake.db',
      'file:./keepsake.db?mode=rwc',
      'keepsake.db',
    ]) {
      const store = await openStore(url);
      await keep(store, aMessage({ text: url }));
      await store.close();
    }
    process.chdir(before);
    expect(await told(await aStore(path))).toHaveLength(5);
  });

  it('sets the pragmas that its promises rest on', async () => {
    const path = await aDatabase();
    const store = await openStore(path);
    await keep(store, aMessage());
    const outside = new Sqlite(path, { readonly: true });
    expect(outside.pragma('journal_mode', { simple: true })).toBe('wal');
    outside.close();
    await store.close();
  });
});

describe('openStore refuses, and touches nothing,', () => {
  it('a second opening, at once and by any name of the file', async () => {
    const path = await aDatabase();
    const store = await aStore(path);
    const link = join(aFolder(), 'link.db');
    symlinkSync(path, link);
    for (const url of [path, pathToFileURL(path).href, link]) {
      expect(await refusal(openStore(url))).toEqual(['locked', expect.stringContaining('end it')]);
    }
    await keep(store, aMessage());
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

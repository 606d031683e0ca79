import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { connect, toStorageError } from '../../src/storage/sqlite/connection.js';
import { aDatabase } from './files.js';

describe('the connection', () => {
  it.each([
    ['FULL', 2],
    ['NORMAL', 1],
  ] as const)('has the pragmas that the promises rest on, with synchronous %s', async (synchronous, level) => {
    const client = connect(await aDatabase(), { synchronous, busyTimeout: 5_000 });
    const pragmas = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout', 'secure_delete', 'trusted_schema'];
    expect(pragmas.map((name) => client.pragma(name, { simple: true }))).toEqual(['wal', level, 1, 5_000, 1, 0]);
    client.close();
  });
});

describe('what the database says', () => {
  it.each([
    ['SQLITE_FULL', 'disk-full'],
    ['SQLITE_CORRUPT', 'corrupt'],
    ['SQLITE_CORRUPT_INDEX', 'corrupt'],
    ['SQLITE_NOTADB', 'corrupt'],
    ['SQLITE_READONLY_DBMOVED', 'read-only'],
    ['SQLITE_BUSY', 'locked'],
    ['SQLITE_IOERR_WRITE', 'storage'],
    ['SQLITE_CONSTRAINT', 'storage'],
  ])('%s is told as "%s", in one sentence, with its cause', (given, code) => {
    const cause = new Sqlite.SqliteError('secret text', given);
    const error = toStorageError(cause);
    expect(error).toMatchObject({ name: 'StorageError', code, cause });
    expect(error.message).toMatch(/^[A-Z][^\n]+\.$/u);
    expect(error.message).not.toContain('secret text');
    expect(toStorageError(error)).toBe(error);
  });
});

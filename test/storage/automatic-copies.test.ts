import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/conversation/clock.js';
import { dropExpiredCopies, openStore } from '../../src/storage/open.js';
import { preMigrationCopyPath } from '../../src/storage/sqlite/database-file.js';
import { aDatabase } from './files.js';

const NOW = Date.UTC(2030, 5, 1);
const at = (days: number) => NOW - days * DAY_MS;

/** A database with copies of these ages in days; resolves which of them are still there. */
async function withCopies(...ages: number[]) {
  const path = await aDatabase();
  for (const age of ages) writeFileSync(preMigrationCopyPath(path, at(age)), 'a copy');
  return { path, left: () => ages.filter((age) => existsSync(preMigrationCopyPath(path, at(age)))) };
}

describe('the copies that are made before a migration', () => {
  it('stay for as many days as messages do, at most two of them', async () => {
    const { path, left } = await withCopies(1, 29, 20, 3);
    dropExpiredCopies(`file:${path}`, 30, NOW);
    expect(left()).toEqual([1, 3]);
  });

  it('go when they are older, be they the newest', async () => {
    const { path, left } = await withCopies(31, 29.9);
    dropExpiredCopies(path, 30, NOW);
    expect(left()).toEqual([29.9]);
  });

  it('are looked through at every start', async () => {
    const { path, left } = await withCopies(8, 6);
    await (await openStore(path, { copiesForDays: 7, clock: () => NOW })).close();
    expect(left()).toEqual([6]);
  });

  it('are the only files that go: backups and what a restore has put aside stay', async () => {
    const { path } = await withCopies();
    const others = [`${path}.replaced-2020-01-01T00-00-00-000Z`, `${path}.copy-mine`, `${path}.backup`];
    for (const other of others) writeFileSync(other, 'mine');
    dropExpiredCopies(path, 1, NOW);
    expect(others.filter((other) => !existsSync(other))).toEqual([]);
  });
});

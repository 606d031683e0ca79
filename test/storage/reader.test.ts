import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { openReadOnlyStore } from '../../src/storage/read-only.js';
import { aDatabase, addMigration, refusal, someMigrations } from './files.js';

const HANDLES = '/proc/self/fd';

/** How many handles this process holds on a file and those beside it. */
function handlesOn(path: string): number {
  return readdirSync(HANDLES).filter((handle) => {
    try {
      return readlinkSync(`${HANDLES}/${handle}`).startsWith(path);
    } catch {
      return false;
    }
  }).length;
}

describe.skipIf(!existsSync(HANDLES))('a reader', () => {
  it('of a database that it cannot read leaves no file open', async () => {
    const path = await aDatabase();
    const migrationsFolder = someMigrations();
    addMigration(migrationsFolder, '9000_next', ['CREATE TABLE next (id integer)']);
    await (await openStore(path, { migrationsFolder })).close();
    expect((await refusal(async () => openReadOnlyStore(path).close()))[0]).toBe('schema-from-future');
    expect(handlesOn(path)).toBe(0);
  });

  it('lets go of its files when it is closed', async () => {
    const path = await aDatabase();
    const reader = openReadOnlyStore(path);
    expect(await reader.listSessions('', 9)).toEqual([]);
    expect(handlesOn(path)).toBeGreaterThan(0);
    await reader.close();
    expect(handlesOn(path)).toBe(0);
  });
});

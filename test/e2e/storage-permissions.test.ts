import { chmodSync, chownSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aDatabase } from '../storage/files.js';
import { aFolder } from '../support/folder.js';
import { play } from './storage-process.js';

const ROOT = process.getuid?.() === 0;
/** Permissions do not bind root, so as root the tests let another user open. */
const SOMEONE = 65_534;
const uid = ROOT ? { uid: SOMEONE } : {};

function give(path: string, mode: number): void {
  if (ROOT) chownSync(path, SOMEONE, SOMEONE);
  chmodSync(path, mode);
}

async function refusedCode(path: string): Promise<unknown> {
  const { said, errors } = await play({ path, ...uid }).ended;
  expect(errors).toBe('');
  return said[0];
}

describe('openStore refuses, and touches nothing,', () => {
  it('a database that cannot be written', async () => {
    const path = await aDatabase();
    const before = readFileSync(path);
    give(dirname(path), 0o700);
    give(path, 0o400);
    expect(await refusedCode(path)).toEqual([
      'refused',
      { code: 'read-only', message: expect.stringContaining('writable') },
    ]);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('a database that cannot even be read', async () => {
    const path = await aDatabase();
    give(dirname(path), 0o700);
    give(path, 0o000);
    expect(await refusedCode(path)).toEqual(['refused', expect.objectContaining({ code: 'read-only' })]);
  });

  it('a folder in which nothing can be made', async () => {
    const path = await aDatabase();
    give(path, 0o600);
    give(dirname(path), 0o500);
    const before = readdirSync(dirname(path));
    expect(await refusedCode(path)).toEqual(['refused', expect.objectContaining({ code: 'read-only' })]);
    expect(readdirSync(dirname(path))).toEqual(before);
  });

  it('a path whose folder may not be made', async () => {
    const folder = aFolder();
    give(folder, 0o500);
    expect(await refusedCode(`${folder}/deeper/keepsake.db`)).toEqual([
      'refused',
      { code: 'no-folder', message: expect.stringContaining('make it') },
    ]);
  });
});

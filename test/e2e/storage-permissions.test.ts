import { chmodSync, chownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aDatabase } from '../storage/files.js';
import { aMessage } from '../support/conversation.js';
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

it('openStore makes folder and database for their owner only, whatever the umask', async () => {
  const path = join(aFolder(), 'deep/er/keepsake.db');
  const mode = (name: string) => statSync(name).mode & 0o777;
  const running = play({ path, umask: 0, steps: [['append', aMessage()], ['hold']] });
  await running.waitFor('done');
  expect([mode(dirname(path)), mode(dirname(dirname(path)))]).toEqual([0o700, 0o700]);
  expect(['', '-wal', '-shm', '.lock'].map((rest) => mode(path + rest))).toEqual(Array(4).fill(0o600));
  running.kill();
  await running.ended;
  await play({ path, umask: 0 }).ended;
  expect(readdirSync(dirname(path)).sort()).toEqual(['keepsake.db', 'keepsake.db.lock']);
  expect([mode(path), mode(`${path}.lock`)]).toEqual([0o600, 0o600]);
});

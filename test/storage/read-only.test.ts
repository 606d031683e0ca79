import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { openForDiagnosis } from '../../src/storage/read-only.js';
import { aMessage, mustAppend } from '../support/conversation.js';
import { aFolder } from '../support/folder.js';
import { aDatabase, addMigration, aStore, refusal, someMigrations } from './files.js';

describe('openReadOnly', () => {
  it('looks at a database beside its writer, and finds it sound', async () => {
    const path = await aDatabase();
    const store = await aStore(path);
    await mustAppend(store, aMessage());
    const view = openForDiagnosis(`file:${path}`);
    expect([view.path, view.integrity(), view.pendingMigrations()]).toEqual([path, [], 0]);
    view.close();
    await mustAppend(store, aMessage());
  });

  it('finds damage wherever it is', async () => {
    const path = await aDatabase();
    const store = await openStore(path);
    for (let i = 0; i < 50; i += 1) await mustAppend(store, aMessage({ text: 'x'.repeat(500) }));
    await store.close();
    const sound = readFileSync(path);
    const used = sound.length / 4_096;
    const seen: boolean[] = [];
    for (let page = 1; page < used; page += 1) {
      writeFileSync(path, Buffer.from(sound).fill(0xff, page * 4_096, (page + 1) * 4_096));
      const view = openForDiagnosis(path);
      seen.push(view.integrity().length > 0);
      view.close();
    }
    expect(seen).toEqual(Array(used - 1).fill(true));
  });

  it('refuses where there is no database, or none of ours', async () => {
    const path = join(aFolder(), 'keepsake.db');
    expect(await refusal(() => openForDiagnosis(path))).toEqual(['empty-database', expect.stringContaining('start')]);
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, 'no database');
    expect((await refusal(() => openForDiagnosis(path)))[0]).toBe('not-a-database');
  });

  it('says when the schema is from the future', async () => {
    const migrationsFolder = someMigrations();
    addMigration(migrationsFolder, '9000_next', ['CREATE TABLE next (id integer)']);
    const view = openForDiagnosis(await aDatabase({ migrationsFolder }));
    expect((await refusal(() => view.pendingMigrations()))[0]).toBe('schema-from-future');
    view.close();
  });
});

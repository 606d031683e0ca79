import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backUp } from '../../src/storage/backup.js';
import { openStore } from '../../src/storage/open.js';
import { aMessage, converse, mustAppend, summarize } from '../support/conversation.js';
import { aFolder } from '../support/folder.js';
import { messagesIn } from './contract/fixture.js';
import { aDatabase, aStore, refusal } from './files.js';

const NOON = Date.UTC(2030, 0, 1, 12);

describe('a backup', () => {
  it('is made beside the running bot, holds every row, and only its owner may read it', async () => {
    const path = await aDatabase();
    const store = await aStore(path);
    const { question, answer } = await converse(store);
    await summarize(store, answer.seq);
    const { file, bytes, rows } = backUp(`file:${path}`, undefined, NOON);
    expect(file).toBe(join(dirname(path), 'backups/keepsake-2030-01-01T12-00-00-000Z.db'));
    expect(rows).toMatchObject({ messages: 2, sessions: 1, summaries: 1 });
    expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(bytes).toBe(statSync(file).size);
    expect(await messagesIn(await aStore(file))).toEqual([question, answer]);
    await mustAppend(store, aMessage());
  });

  it('is whole while a program writes without a pause', async () => {
    const path = await aDatabase();
    const store = await aStore(path);
    let writing = true;
    const writes = (async () => {
      while (writing) await mustAppend(store, aMessage());
    })();
    await mustAppend(store, aMessage());
    for (let i = 0; i < 5; i += 1) {
      const { file, rows } = backUp(path, aFolder(), NOON + i);
      expect((await messagesIn(await aStore(file))).length).toBe(rows.messages);
      await mustAppend(store, aMessage());
    }
    writing = false;
    await writes;
  });

  it('holds what stands in the log only', async () => {
    const path = await aDatabase();
    const store = await aStore(path);
    const kept = [await mustAppend(store, aMessage()), await mustAppend(store, aMessage())];
    const { file } = backUp(path, undefined, NOON);
    expect(await messagesIn(await aStore(file))).toEqual(kept);
  });

  it('never overwrites one', async () => {
    const path = await aDatabase();
    const folder = join(aFolder(), 'deep/inside');
    const { file } = backUp(path, folder, NOON);
    const before = readFileSync(file);
    expect((await refusal(() => backUp(path, folder, NOON)))[1]).toContain('exists already');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('of a damaged database is refused, and leaves no file', async () => {
    const path = await aDatabase();
    const store = await openStore(path);
    for (let i = 0; i < 50; i += 1) await mustAppend(store, aMessage({ text: 'x'.repeat(500) }));
    await store.close();
    const bytes = readFileSync(path);
    const middle = 4_096 * Math.floor(bytes.length / 8_192);
    writeFileSync(path, bytes.fill(0xff, middle, middle + 4_096));
    const folder = aFolder();
    expect((await refusal(() => backUp(path, folder, NOON)))[0]).toBe('corrupt');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is refused where there is no database, or no folder can be made', async () => {
    const path = join(aFolder(), 'keepsake.db');
    expect((await refusal(() => backUp(path, undefined, NOON)))[0]).toBe('empty-database');
    expect(existsSync(dirname(path)) && readdirSync(dirname(path))).toEqual([]);
    const there = await aDatabase();
    expect((await refusal(() => backUp(there, join(there, 'inside'), NOON)))[0]).toBe('no-folder');
  });
});

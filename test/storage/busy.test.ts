import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { aMessage, mustAppend } from '../support/conversation.js';
import { messagesIn, textsIn } from './contract/fixture.js';
import { aDatabase, aStore } from './files.js';

/** A foreign program that has begun to write. */
function aForeignWriter(path: string) {
  const writer = new Sqlite(path);
  writer.exec('BEGIN IMMEDIATE');
  return writer;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('while a foreign program holds the file', () => {
  it('writes wait in order, and are carried out when it lets go', async () => {
    const path = await aDatabase();
    const store = await aStore(path, { busyTimeout: 0 });
    const foreign = aForeignWriter(path);
    const first = store.append(aMessage({ text: 'first' }));
    await nextTurn();
    const second = store.append(aMessage({ text: 'second' }));
    await nextTurn();
    expect(await messagesIn(store)).toEqual([]);
    foreign.exec('ROLLBACK').close();
    expect([await first, await second]).not.toContain(null);
    expect(await textsIn(store)).toEqual(['first', 'second']);
  });

  it('writes are refused in the end when it does not let go, and nothing of them is kept', async () => {
    const path = await aDatabase();
    const store = await aStore(path, { busyTimeout: 0 });
    const foreign = aForeignWriter(path);
    await expect(store.append(aMessage())).rejects.toMatchObject({ name: 'StorageError', code: 'locked' });
    foreign.exec('ROLLBACK').close();
    expect(await messagesIn(store)).toEqual([]);
    await mustAppend(store, aMessage());
  });

  it('closing does not wait for it', async () => {
    const path = await aDatabase();
    const store = await aStore(path, { busyTimeout: 0 });
    const foreign = aForeignWriter(path);
    const waiting = store.append(aMessage());
    await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'locked' }), store.close()]);
    foreign.close();
  });
});

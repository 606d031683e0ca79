import { chmodSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { aMessage, mustAppend } from '../support/conversation.js';
import { messagesIn, SESSION } from './contract/fixture.js';
import { aDatabase, aStore } from './files.js';

const mode = (path: string) => statSync(path).mode & 0o777;

describe('openStore', () => {
  it('takes other users away from a database that was put there for all', async () => {
    const path = await aDatabase();
    chmodSync(path, 0o644);
    await aStore(path);
    expect(mode(path)).toBe(0o600);
  });

  it('keeps what was said from one opening to the next', async () => {
    const path = await aDatabase();
    const first = await openStore(path);
    const kept = await mustAppend(first, aMessage());
    await first.close();
    const second = await aStore(path);
    expect(await messagesIn(second)).toEqual([kept]);
    expect((await mustAppend(second, aMessage())).seq).toBeGreaterThan(kept.seq);
  });

  it('never gives a number again, though its message is gone and the store was opened anew', async () => {
    const path = await aDatabase();
    const first = await openStore(path);
    const { seq } = await mustAppend(first, aMessage());
    await first.forgetSession(SESSION.id);
    await first.close();
    expect((await mustAppend(await aStore(path), aMessage())).seq).toBeGreaterThan(seq);
  });

  it('reads a path, a file: URL and a relative file: URL alike', async () => {
    const path = await aDatabase();
    const near = relative(process.cwd(), path);
    for (const url of [path, pathToFileURL(path).href, `file:${near}`, `file:./${near}?mode=rwc`, near]) {
      const store = await openStore(url);
      await mustAppend(store, aMessage({ text: url }));
      await store.close();
    }
    expect(await messagesIn(await aStore(path))).toHaveLength(5);
  });
});

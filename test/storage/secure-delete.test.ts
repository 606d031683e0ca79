import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/conversation/store.js';
import { aMessage, aQuoteOf, converse, mustAppend, someTalk, summarize } from '../support/conversation.js';
import { SESSION } from './contract/fixture.js';
import { aDatabase, aStore } from './files.js';

/** How many of the files beside a database hold a word. */
function filesHolding(path: string, word: string): string[] {
  const folder = dirname(path);
  return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(word));
}

/** Many messages with a word in each, long ones among them, with quotes of them and a summary. */
async function plant(store: Store, word: string): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < 60; i += 1) {
    const text = `${word} ${i} ${'.'.repeat(i * 150)} ${word}`;
    const said = await mustAppend(store, aMessage({ authorId: 'eve', text }));
    await mustAppend(store, someTalk({ quote: aQuoteOf(said), text: 'indeed' }));
    ids.push(said.platformId);
  }
  const { answer } = await converse(store, { authorId: 'eve' }, { text: `as you said, ${word}` });
  await summarize(store, answer.seq, { text: `a summary with ${word}` });
  return ids;
}

describe('after erasing, the text stands in no byte of the files', () => {
  const erasures: Record<string, (store: Store, ids: string[]) => Promise<unknown>> = {
    'forgetting a session': (store) => store.forgetSession(SESSION.id),
    'forgetting a person': (store) => store.forgetAuthor(SESSION.id, 'eve'),
    'deleting the messages one by one': async (store, ids) => {
      await store.forgetLast(SESSION.id, null);
      await store.erase(SESSION.id, ids, 1);
    },
    'editing the word away': async (store, ids) => {
      await store.forgetLast(SESSION.id, null);
      for (const id of ids) await store.edit(SESSION.id, id, 'nothing');
    },
    'retention, summaries included': async (store) => {
      await store.sweep(SESSION.id, { coveredUntil: 9_999, unreachedBelow: null }, 500);
      for (const { id } of (await store.sessionFacts(SESSION.id)).summaries) await store.dropSummary(id);
    },
  };

  it.each(Object.entries(erasures))('%s', async (_, erase) => {
    const path = await aDatabase();
    const store = await aStore(path);
    const word = 'Rumpelstilzchen';
    const ids = await plant(store, word);
    expect(filesHolding(path, word)).not.toEqual([]);
    await erase(store, ids);
    expect(filesHolding(path, word)).toEqual([]);
    await store.close();
    expect(filesHolding(path, word)).toEqual([]);
  });

  it('as soon as a reader that held the log back lets go', async () => {
    const path = await aDatabase();
    const store = await aStore(path);
    await mustAppend(store, aMessage({ text: 'Rumpelstilzchen' }));
    const reader = new Sqlite(path, { readonly: true });
    reader.exec('BEGIN');
    expect(reader.prepare('SELECT count(*) FROM messages').pluck().get()).toBe(1);
    await store.forgetSession(SESSION.id);
    expect(filesHolding(path, 'Rumpelstilzchen')).not.toEqual([]);
    reader.close();
    await mustAppend(store, aMessage());
    expect(filesHolding(path, 'Rumpelstilzchen')).toEqual([]);
  });
});

it('deleting what was never stored does not empty the log, which costs much', async () => {
  const path = await aDatabase();
  const store = await aStore(path);
  await mustAppend(store, aMessage());
  await store.erase(SESSION.id, ['unknown'], 1);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
});

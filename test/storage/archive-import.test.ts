import { describe, expect, it, onTestFinished } from 'vitest';
import type { ImportedSummary } from '../../src/conversation/archive.js';
import type { Store } from '../../src/conversation/store.js';
import { openStore } from '../../src/storage/open.js';
import { aMessage, mustAppend, summarize } from '../support/conversation.js';
import { createModelStore } from '../support/model-store.js';
import { messagesIn } from './contract/fixture.js';

const SESSION = 'discord:100';
/** When a session is imported. */
const HEARD = 500;
const rows = ['a', 'b', 'c'].map((text) => aMessage({ text, platformId: text }));

function aSummary(covers: number, over: Partial<ImportedSummary> = {}): ImportedSummary {
  const times = { fromAt: 1, throughAt: 2, createdAt: 3 };
  return {
    text: `first ${covers}`,
    tokens: 3,
    encoding: 'o200k_base',
    model: 'm',
    covers,
    beyond: false,
    ...times,
    ...over,
  };
}

describe.each<[string, () => Promise<Store>]>([
  ['the SQLite store', () => openStore(':memory:')],
  ['the model store', async () => createModelStore()],
])('%s takes in a conversation', (_, open) => {
  async function aStore(): Promise<Store> {
    const store = await open();
    onTestFinished(() => store.close());
    return store;
  }

  it('whole and in order, with its summary above the messages that it covers', async () => {
    const store = await aStore();
    await mustAppend(store, aMessage({ sessionId: 'discord:other' }));
    expect(await store.importSession(SESSION, rows, [aSummary(2)], HEARD)).toBe(3);
    expect((await messagesIn(store)).map(({ text }) => text)).toEqual(['a', 'b', 'c']);
    const history = await store.loadHistory(SESSION, { summary: true });
    expect(history.messages.map(({ text }) => text)).toEqual(['c']);
    expect(history.summary).toMatchObject({ text: 'first 2', dirty: false });
  });

  it('with a summary of messages that are gone, below all that come with it', async () => {
    const store = await aStore();
    await store.importSession(SESSION, rows, [aSummary(0, { beyond: true })], HEARD);
    const history = await store.loadHistory(SESSION, { summary: true });
    expect([history.summary?.text, history.messages.length]).toEqual(['first 0', 3]);
    const { unrebuildable } = await store.forgetAuthor(SESSION, 'ada');
    expect(unrebuildable?.text).toBe('first 0');
  });

  it('never over another one, be it of messages or of a summary', async () => {
    const store = await aStore();
    const kept = await mustAppend(store, aMessage());
    expect(await store.importSession(SESSION, rows, [], HEARD)).toBeNull();
    await summarize(store, kept.seq, { dropCovered: true });
    expect(await store.importSession(SESSION, rows, [], HEARD)).toBeNull();
    expect((await store.sessionFacts(SESSION)).messages).toBe(0);
  });

  it('without what was erased here before, and without a summary over it', async () => {
    const store = await aStore();
    await store.erase(SESSION, ['b'], 1);
    expect(await store.importSession(SESSION, rows, [aSummary(1), aSummary(2)], HEARD)).toBe(2);
    expect((await messagesIn(store)).map(({ text }) => text)).toEqual(['a', 'c']);
    expect((await store.sessionFacts(SESSION)).summaries.map(({ text }) => text)).toEqual(['first 1']);
  });

  it('without what was erased here before under the id that it has where it was said', async () => {
    const store = await aStore();
    await store.erase(SESSION, ['b'], 1);
    const foreign = rows.map((row) => ({ ...row, platformId: `i:discord%3A7/${row.platformId}` }));
    expect(await store.importSession(SESSION, foreign, [aSummary(1), aSummary(2)], HEARD)).toBe(2);
    expect((await messagesIn(store)).map(({ text }) => text)).toEqual(['a', 'c']);
    expect((await store.sessionFacts(SESSION)).summaries.map(({ text }) => text)).toEqual(['first 1']);
  });

  it('so that work begun before it does not write after it', async () => {
    const store = await aStore();
    const { epoch, revision } = await store.loadHistory(SESSION, { summary: true });
    await store.importSession(SESSION, rows, [], HEARD);
    const check = { epoch, revision, previousId: null, dropCovered: false };
    const { covers: _c, beyond: _b, ...rest } = aSummary(1);
    expect(await store.saveSummary({ ...rest, sessionId: SESSION, fromSeq: 1, throughSeq: 2 }, check)).toBe(false);
  });
});

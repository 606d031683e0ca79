import { afterEach, describe, expect, it } from 'vitest';
import { StorageError } from '../../src/conversation/errors.js';
import { armFaults } from '../../src/fault.js';
import { aMessage, aQuestion, mustAppend, someTalk } from '../support/conversation.js';
import { messagesIn, SESSION, textsIn } from './contract/fixture.js';
import { aDatabase, aStore } from './files.js';

/** Writes down every fault point that is passed. */
function watch(): string[] {
  const passed: string[] = [];
  armFaults((point) => {
    passed.push(point);
    return undefined;
  });
  return passed;
}

afterEach(() => armFaults(null));

describe('writes that come in one turn of the event loop', () => {
  it('share one transaction, in the order in which they came', async () => {
    const store = await aStore(await aDatabase());
    const passed = watch();
    const names = Array.from({ length: 40 }, (_, i) => `m${i}`);
    await Promise.all([
      ...names.map((text) => store.append(aMessage({ text }))),
      store.saveSetting(SESSION.id, 'vision', true, 1),
    ]);
    expect(passed).toEqual(['append:before-commit', 'setting:before-commit', 'append:committed', 'setting:committed']);
    expect(await textsIn(store)).toEqual(names);
  });

  it('are committed apart when they come one after the other', async () => {
    const store = await aStore(await aDatabase());
    const passed = watch();
    await mustAppend(store, aMessage());
    await mustAppend(store, aMessage());
    expect(passed.filter((point) => point === 'append:committed')).toHaveLength(2);
  });

  it('fail one by one: what is wrong with one does not harm the others', async () => {
    const store = await aStore(await aDatabase());
    const wrong = aMessage({ authorId: null as unknown as string });
    const tries = [store.append(aMessage({ text: 'a' })), store.append(wrong), store.append(aMessage({ text: 'b' }))];
    const outcomes = await Promise.allSettled(tries);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(tries[1]).rejects.toMatchObject({ name: 'StorageError', code: 'storage' });
    expect(await textsIn(store)).toEqual(['a', 'b']);
  });

  it('leave nothing of one that fails in its middle', async () => {
    const store = await aStore(await aDatabase());
    const wrong = aMessage({ authorId: null as unknown as string });
    const batch = store.appendAll([aMessage(), aMessage(), wrong]);
    const alone = await Promise.allSettled([batch]);
    const beside = await Promise.allSettled([store.appendAll([aMessage(), wrong]), mustAppend(store, aMessage())]);
    expect([...alone, ...beside].map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(await messagesIn(store)).toHaveLength(1);
  });

  it('all reject with a StorageError when the commit fails, and the store goes on', async () => {
    const store = await aStore(await aDatabase());
    armFaults((point) => {
      if (point === 'append:before-commit') throw new Error('the power went');
      return undefined;
    });
    const outcomes = await Promise.allSettled([store.append(aMessage()), store.append(aQuestion())]);
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason instanceof StorageError)).toEqual([
      true,
      true,
    ]);
    armFaults(null);
    expect(await messagesIn(store)).toEqual([]);
    await mustAppend(store, someTalk());
    expect(await messagesIn(store)).toHaveLength(1);
  });

  it('are not resolved before they are durable', async () => {
    const store = await aStore(await aDatabase());
    const passed = watch();
    const seen = await store.append(aMessage()).then(() => [...passed]);
    expect(seen).toContain('append:committed');
  });
});

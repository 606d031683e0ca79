import { describe, expect, it } from 'vitest';
import { aMessage, anId, mustAppend, someTalk } from '../support/conversation.js';
import { BOTH_STORES } from './both-stores.js';
import { SESSION } from './contract/fixture.js';

const SCOPE = `server:${SESSION.serverId}`;
const quote = { platformId: anId(), authorId: 'eve', authorName: 'Eve', text: 'said elsewhere' };

describe.each(BOTH_STORES)('%s finds the sessions of a person', (_, aStore) => {
  it('in which they have written', async () => {
    const store = await aStore();
    await mustAppend(store, aMessage({ authorId: 'eve' }));
    expect(await store.sessionsOfAuthor(SCOPE, 'eve')).toEqual([SESSION]);
    expect(await store.sessionsOfAuthor(SCOPE, 'ben')).toEqual([]);
  });

  it('in which they are only quoted, though nothing there is theirs', async () => {
    const store = await aStore();
    await mustAppend(store, someTalk({ quote }));
    expect(await store.sessionsOfAuthor(SCOPE, 'eve')).toEqual([SESSION]);
    expect(await store.messagesOfAuthor(SESSION.id, 'eve', 0, 9)).toEqual([]);
    expect(await store.forgetAuthor(SESSION.id, 'eve')).toMatchObject({ messages: 0, names: ['Eve'] });
  });

  it('in which an imported message quotes them', async () => {
    const store = await aStore();
    await store.importSession(SESSION.id, [aMessage(), someTalk({ quote })], [], 1);
    expect(await store.sessionsOfAuthor(SCOPE, 'eve')).toEqual([SESSION]);
    expect((await store.forgetAuthor(SESSION.id, 'ada')).names).toEqual(['Ada']);
  });

  it('until they are forgotten there, or the session is', async () => {
    const store = await aStore();
    await mustAppend(store, someTalk({ quote }));
    await store.forgetAuthor(SESSION.id, 'eve');
    expect(await store.sessionsOfAuthor(SCOPE, 'eve')).toEqual([]);
    await mustAppend(store, someTalk({ quote }));
    await store.forgetSession(SESSION.id);
    expect(await store.sessionsOfAuthor(SCOPE, 'eve')).toEqual([]);
    expect(await store.sessionsOfAuthor(SCOPE, 'ben')).toEqual([]);
  });

  it('with no more names than fit, however often they rename themselves', async () => {
    const store = await aStore();
    const names = Array.from({ length: 100 }, (_, i) => `${i} ${'x'.repeat(500)}`);
    for (const authorName of names) await mustAppend(store, aMessage({ authorId: 'eve', authorName }));
    await store.erase(SESSION.id, (await store.platformIdsSince(SESSION.id, 0, 200)) ?? [], 1);
    expect((await store.forgetAuthor(SESSION.id, 'eve')).names).toEqual(names.slice(0, 15));
  });
});

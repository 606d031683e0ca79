import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { messagesIn } from '../storage/contract/fixture.js';
import { aDatabase, aStore, refusal } from '../storage/files.js';
import { aMessage, mustAppend } from '../support/conversation.js';
import { aFolder } from '../support/folder.js';
import { type Ending, play } from './storage-process.js';

const firstWord = ({ said }: Ending) => said[0]?.[0];

describe('the one writer', () => {
  it('is one of many processes that start at the same moment on a new path', async () => {
    const path = join(aFolder(), 'new/keepsake.db');
    const players = Array.from({ length: 4 }, () => play({ path, steps: [['append', aMessage()], ['hold']] }));
    const winner = await Promise.any(players.map(async (player) => player.waitFor('done').then(() => player)));
    const losers = players.filter((player) => player !== winner);
    const endings = await Promise.all(losers.map(({ ended }) => ended));
    expect(endings.map(({ said }) => said[0])).toEqual(
      Array(3).fill(['refused', expect.objectContaining({ code: 'locked' })]),
    );
    expect(endings.map(({ errors }) => errors)).toEqual(['', '', '']);
    winner.kill();
    await winner.ended;
    expect(await messagesIn(await aStore(path))).toHaveLength(1);
    expect(readdirSync(dirname(path)).filter((name) => name.includes('.new'))).toEqual([]);
  });

  it('refuses another process, which leaves the database as it is', async () => {
    const path = await aDatabase();
    const store = await aStore(path);
    const ending = await play({ path, steps: [['append', aMessage()]] }).ended;
    expect(firstWord(ending)).toBe('refused');
    expect(await messagesIn(store)).toEqual([]);
    await mustAppend(store, aMessage());
  });

  it('gives way as soon as it is closed, and when it is killed', async () => {
    const path = await aDatabase();
    const player = play({ path, steps: [['append', aMessage()], ['hold']] });
    await player.waitFor('done');
    expect((await refusal(openStore(path)))[0]).toBe('locked');
    player.kill();
    await player.ended;
    const store = await openStore(path);
    expect(await messagesIn(store)).toHaveLength(1);
    await store.close();
    expect(firstWord(await play({ path }).ended)).toBe('opened');
  });

  it('leaves no lock behind when the opening fails', async () => {
    const path = await aDatabase();
    expect((await refusal(openStore(path, { migrationsFolder: '/nowhere' })))[0]).toBe('storage');
    await aStore(path);
  });
});

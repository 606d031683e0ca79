import { describe, expect } from 'vitest';
import { StorageError } from '../../../src/conversation/errors.js';
import { aMessage, anAnswer, aQuestion, mustAppend, openTurn, summarize } from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { messagesIn, SESSION, withStore } from './fixture.js';

export function sharedValueContract(open: OpenStore): void {
  const it = withStore(open);

  describe('nobody holds what the store holds', () => {
    it('neither by what was given to it', async (store) => {
      const session = { id: 'discord:7', parentId: null, serverId: '1' };
      const message = aMessage({ quote: { platformId: '5', authorId: 'ben', authorName: 'Ben', text: 'said' } });
      const value = { name: 'window', k: 3, unit: 'turns' };
      await store.openSession(session);
      await mustAppend(store, message);
      await store.saveSetting(SESSION.id, 'strategy', value, 1);
      const before = structuredClone([await messagesIn(store), await store.loadSettings([SESSION.id])]);
      session.serverId = 'changed';
      message.text = 'changed';
      if (message.quote) message.quote.text = 'changed';
      value.k = 4;
      expect([await messagesIn(store), await store.loadSettings([SESSION.id])]).toEqual(before);
      expect((await store.findSession('discord:7'))?.serverId).toBe('1');
    });

    it('nor by what it returned', async (store) => {
      const kept = await mustAppend(store, aMessage());
      await summarize(store, kept.seq);
      await mustAppend(store, aQuestion());
      const look = async () => [
        await store.loadHistory(SESSION.id, { summary: true }),
        await messagesIn(store),
        (await openTurn(store, SESSION.id))?.questions,
        await store.sessionFacts(SESSION.id),
        await store.findSession(SESSION.id),
      ];
      const before = structuredClone(await look());
      deface(kept);
      deface(await look());
      expect(await look()).toEqual(before);
    });

    it('so that changing a turn in hand does not change the stored questions', async (store) => {
      await mustAppend(store, aQuestion({ text: 'asked' }));
      const turn = await openTurn(store, SESSION.id);
      const spare = structuredClone(turn);
      deface(turn?.questions);
      expect(await store.storeAnswer(spare ?? raise(), anAnswer())).not.toBeNull();
      await store.settleTurn(spare ?? raise());
      expect(await messagesIn(store)).toMatchObject([{ text: 'asked', state: 'answered' }, {}]);
    });
  });

  describe('close', () => {
    it('ends the store: what was asked before is carried out, what is asked later rejects', async (store) => {
      const last = store.append(aMessage());
      await store.close();
      expect(await last).not.toBeNull();
      await store.close();
      const later = [
        () => store.append(aMessage()),
        () => store.openSession(SESSION),
        () => store.loadHistory(SESSION.id, { summary: true }),
        () => openTurn(store, SESSION.id),
        () => store.saveSetting(SESSION.id, 'vision', true, 1),
      ];
      for (const verb of later) await expect(verb()).rejects.toThrow(StorageError);
    });
  });
}

/** Overwrites every text and number within a value. */
function deface(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const record = value as Record<string, unknown>;
  for (const [key, inner] of Object.entries(record)) {
    if (typeof inner === 'object') deface(inner);
    else record[key] = typeof inner === 'string' ? 'defaced' : -1;
  }
}

function raise(): never {
  throw new Error('no turn');
}

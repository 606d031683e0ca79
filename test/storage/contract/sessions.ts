import { describe, expect } from 'vitest';
import { aMessage, anAnswer, aQuestion, aSession, mustAppend, openTurn, someTalk } from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { SESSION, withStore } from './fixture.js';

export function sessionContract(open: OpenStore): void {
  const it = withStore(open);

  describe('sessions', () => {
    it('finds a session that was opened, and null for one that was not', async (store) => {
      expect(await store.findSession(SESSION.id)).toEqual(SESSION);
      expect(await store.findSession('discord:unknown')).toBeNull();
    });

    it('keeps what a session belongs to, and notices that it was moved', async (store) => {
      const thread = aSession({ id: 'discord:7', parentId: 'discord:100' });
      await store.openSession(thread);
      await store.openSession(thread);
      expect(await store.findSession(thread.id)).toEqual(thread);
      await store.openSession({ ...thread, parentId: null, serverId: null });
      expect(await store.findSession(thread.id)).toEqual({ id: thread.id, parentId: null, serverId: null });
    });

    it('does not touch the conversation when a session is opened again', async (store) => {
      await mustAppend(store, aMessage());
      await store.forgetSession(SESSION.id);
      await mustAppend(store, aMessage());
      await store.openSession({ ...SESSION, serverId: '901' });
      const facts = await store.sessionFacts(SESSION.id);
      expect([facts.epoch, facts.messages]).toEqual([1, 1]);
    });

    it('lists sessions by id, in pages', async (store) => {
      for (const id of ['discord:3', 'discord:20', 'terminal:a']) await store.openSession(aSession({ id }));
      const first = await store.listSessions('', 2);
      expect(first.map(({ id }) => id)).toEqual(['discord:100', 'discord:20']);
      const second = await store.listSessions('discord:20', 2);
      expect(second.map(({ id }) => id)).toEqual(['discord:3', 'terminal:a']);
      expect(await store.listSessions('terminal:a', 2)).toEqual([]);
    });

    it('keeps what comes from a session that was never opened', async (store) => {
      await mustAppend(store, aMessage({ sessionId: 'discord:stray' }));
      expect(await store.findSession('discord:stray')).toEqual({ id: 'discord:stray', parentId: null, serverId: null });
    });
  });

  describe('sessions with waiting questions', () => {
    it('are listed with the time of their oldest question, those that wait longest first', async (store) => {
      await store.openSession(aSession({ id: 'discord:200' }));
      await mustAppend(store, aQuestion({ createdAt: 50 }));
      await mustAppend(store, aQuestion({ createdAt: 40 }));
      await mustAppend(store, aQuestion({ sessionId: 'discord:200', createdAt: 30 }));
      await mustAppend(store, someTalk({ sessionId: 'discord:300', createdAt: 1 }));
      expect(await store.pendingSessions()).toEqual([
        { session: aSession({ id: 'discord:200' }), oldestAt: 30 },
        { session: SESSION, oldestAt: 40 },
      ]);
    });

    it('leave the list when their turn has ended either way', async (store) => {
      await mustAppend(store, aQuestion());
      await mustAppend(store, aQuestion({ sessionId: 'discord:200' }));
      const answered = await openTurn(store, SESSION.id);
      const failed = await openTurn(store, 'discord:200');
      if (!answered || !failed) throw new Error('no turn');
      await store.storeAnswer(answered, anAnswer());
      expect(await store.pendingSessions()).toHaveLength(2);
      await store.settleTurn(answered);
      await store.failTurn(failed);
      expect(await store.pendingSessions()).toEqual([]);
    });
  });

  describe('the facts of a session', () => {
    it('count all its rows', async (store) => {
      await mustAppend(store, someTalk({ createdAt: 10 }));
      await mustAppend(store, aQuestion({ createdAt: 20 }));
      await mustAppend(store, someTalk({ sessionId: 'discord:200', createdAt: 99 }));
      expect(await store.sessionFacts(SESSION.id)).toEqual({
        epoch: 0,
        messages: 2,
        sweptThrough: 0,
        summaries: [],
      });
    });

    it('are those of an empty one when nothing is known of it', async (store) => {
      expect(await store.sessionFacts('discord:unknown')).toEqual({
        epoch: 0,
        messages: 0,
        sweptThrough: 0,
        summaries: [],
      });
    });
  });
}

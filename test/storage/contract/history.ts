import fc from 'fast-check';
import { describe, expect, it as plainly } from 'vitest';
import { createReachCounter, type Reach } from '../../../src/conversation/history.js';
import {
  aMessage,
  anAnswer,
  aQuestion,
  converse,
  mustAppend,
  someTalk,
  summarize,
} from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { pendingTurn, SESSION, textsIn, withStore } from './fixture.js';

export function historyContract(open: OpenStore): void {
  const it = withStore(open);

  describe('loadHistory', () => {
    it('is empty and complete for a session that said nothing', async (store) => {
      const nothing = { epoch: 0, revision: 0, summary: null, messages: [], complete: true, dirtyThrough: null };
      expect(await store.loadHistory(SESSION.id, { summary: true })).toEqual({ sessionId: SESSION.id, ...nothing });
      expect(await store.loadHistory('x', { summary: false })).toEqual({ sessionId: 'x', ...nothing });
    });

    it('holds what was heard, answered and failed, oldest first, but nothing that waits', async (store) => {
      await mustAppend(store, someTalk({ text: 'heard' }));
      await mustAppend(store, aQuestion({ text: 'failed' }));
      await store.failTurn(await pendingTurn(store));
      await converse(store, { text: 'asked' }, { text: 'answered' });
      await mustAppend(store, aQuestion({ text: 'waiting' }));
      await store.storeAnswer(await pendingTurn(store), anAnswer({ text: 'being delivered' }));
      expect(await textsIn(store)).toEqual(['heard', 'failed', 'asked', 'answered']);
    });

    it('ends before the first question that waits, so that nothing is folded around it', async (store) => {
      await mustAppend(store, someTalk({ text: 'before' }));
      await mustAppend(store, aQuestion());
      await mustAppend(store, someTalk({ text: 'after' }));
      expect(await textsIn(store)).toEqual(['before']);
    });

    it('reads only what came before a given message', async (store) => {
      const kept = [
        await mustAppend(store, aMessage()),
        await mustAppend(store, aMessage()),
        await mustAppend(store, aMessage()),
      ];
      const { messages, complete } = await store.loadHistory(SESSION.id, { summary: false }, kept[2]?.seq);
      expect([messages, complete]).toEqual([kept.slice(0, 2), true]);
    });

    it('reads on until a limit is passed, by one message, and says when more lies before', async (store) => {
      for (let i = 0; i < 5; i += 1) await mustAppend(store, aMessage({ text: String(i) }));
      const read = async (messages: number) => {
        const history = await store.loadHistory(SESSION.id, { summary: false, messages });
        return [history.messages.map(({ text }) => text).join(''), history.complete];
      };
      expect(await read(0)).toEqual(['4', false]);
      expect(await read(2)).toEqual(['234', false]);
      expect(await read(4)).toEqual(['01234', true]);
      expect(await read(9)).toEqual(['01234', true]);
    });

    it('counts turns by their answers and tokens by what is counted', async (store) => {
      for (let i = 0; i < 4; i += 1) await converse(store, { text: `q${i}` }, { text: `a${i}`, tokens: 10 });
      const turns = await store.loadHistory(SESSION.id, { summary: false, turns: 2 });
      expect(turns.messages.map(({ text }) => text)).toEqual(['a1', 'q2', 'a2', 'q3', 'a3']);
      const tokens = await store.loadHistory(SESSION.id, { summary: false, tokens: 19 });
      expect(tokens.messages.map(({ text }) => text)).toEqual(['a2', 'q3', 'a3']);
    });

    it('reads the newest summary and only what it does not cover, when asked for summaries', async (store) => {
      const { answer } = await converse(store);
      await converse(store, { text: 'q' }, { text: 'a' });
      expect(await summarize(store, answer.seq)).toBe(true);
      const history = await store.loadHistory(SESSION.id, { summary: true });
      expect(history.summary).toMatchObject({ throughSeq: answer.seq, dirty: false });
      expect(history.messages.map(({ text }) => text)).toEqual(['q', 'a']);
      expect([history.complete, history.dirtyThrough]).toEqual([true, null]);
      expect(await textsIn(store)).toHaveLength(4);
    });
  });

  describe('loadSpan', () => {
    it('reads settled messages between two numbers, oldest first, at most so many', async (store) => {
      const kept = [];
      for (let i = 0; i < 4; i += 1) kept.push(await mustAppend(store, aMessage()));
      const waiting = await mustAppend(store, aQuestion());
      const [first, , , last] = kept.map(({ seq }) => seq);
      expect(await store.loadSpan(SESSION.id, 0, waiting.seq, 10)).toEqual(kept);
      expect(await store.loadSpan(SESSION.id, first ?? 0, last ?? 0, 2)).toEqual(kept.slice(1, 3));
      expect(await store.loadSpan('discord:200', 0, waiting.seq, 10)).toEqual([]);
    });
  });

  plainly('a history is exactly what the reach lets through, whatever was said', async () => {
    const reaches = fc.record(
      { messages: fc.nat(90), tokens: fc.nat(900), turns: fc.nat(30), newestTurnWithin: fc.nat(40) },
      { requiredKeys: [] },
    );
    const store = await open();
    for (let i = 0; i < 150; i += 1) {
      const role = i % 3 === 2 ? 'assistant' : 'user';
      const { seq } = await mustAppend(store, aMessage({ role }));
      if (i % 5 !== 0) await store.saveCounts([{ seq, tokens: (i * 7) % 23, encoding: 'o200k_base' }]);
    }
    const all = (await store.loadHistory(SESSION.id, { summary: false })).messages;
    await fc.assert(
      fc.asyncProperty(reaches, fc.nat(149), async (limits, last) => {
        const reach: Reach = { summary: false, ...limits };
        const before = all[last]?.seq ?? 0;
        const passed = createReachCounter(reach);
        const stop = all.slice(0, last).findLastIndex((message) => passed(message));
        const history = await store.loadHistory(SESSION.id, reach, before);
        expect(history.messages).toEqual(all.slice(Math.max(stop, 0), last));
        expect(history.complete).toBe(stop <= 0);
      }),
    );
    await store.close();
  });
}

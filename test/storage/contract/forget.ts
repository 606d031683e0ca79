import { describe, expect } from 'vitest';
import {
  aMessage,
  anAnswer,
  anId,
  aQuestion,
  aQuoteOf,
  converse,
  mustAppend,
  openTurn,
  someTalk,
  summarize,
} from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import {
  appendSome,
  messagesIn,
  NOTHING_ERASED,
  pendingTurn,
  SESSION,
  textsIn,
  watermarks,
  withStore,
} from './fixture.js';

export function forgetContract(open: OpenStore): void {
  const it = withStore(open);

  describe('forgetSession', () => {
    it('erases messages and summaries, raises the epoch and begins anew', async (store) => {
      const { answer } = await converse(store);
      await summarize(store, answer.seq, { dropCovered: true });
      await mustAppend(store, someTalk());
      await mustAppend(store, aQuestion());
      await store.storeAnswer(await pendingTurn(store), anAnswer());
      const erased = { ...NOTHING_ERASED, messages: 2, answers: 1, summaries: 1 };
      expect(await store.forgetSession(SESSION.id)).toEqual(erased);
      expect(await store.sessionFacts(SESSION.id)).toEqual({
        epoch: 1,
        messages: 0,
        sweptThrough: 0,
        summaries: [],
      });
      expect(await store.findSession(SESSION.id)).toEqual(SESSION);
      expect(await openTurn(store, SESSION.id)).toBeNull();
    });

    it('raises the epoch each time, of an empty and of an unknown session too', async (store) => {
      await store.forgetSession(SESSION.id);
      expect(await store.forgetSession(SESSION.id)).toEqual(NOTHING_ERASED);
      await store.forgetSession('discord:unknown');
      expect((await store.sessionFacts(SESSION.id)).epoch).toBe(2);
      expect((await store.sessionFacts('discord:unknown')).epoch).toBe(1);
    });

    it('never gives a number again', async (store) => {
      const [, b = 0] = await appendSome(store, 2);
      await store.forgetSession(SESSION.id);
      const [c = 0] = await appendSome(store, 1);
      expect(c).toBeGreaterThan(b);
    });
  });

  describe('forgetAuthor', () => {
    it('erases what a person wrote, and the answer to every turn in which they wrote', async (store) => {
      await converse(store, { text: 'ada asks' }, { text: 'to ada' });
      await mustAppend(store, someTalk({ authorId: 'eve', text: 'eve chats' }));
      await converse(store, { text: 'ada goes on' }, { text: 'to ada and eve' });
      await converse(store, { authorId: 'eve', text: 'eve asks' }, { text: 'to eve' });
      await converse(store, { text: 'ada again' }, { text: 'to ada again' });
      const erased = { ...NOTHING_ERASED, messages: 2, answers: 2, names: ['Ben', 'Ada'] };
      expect(await store.forgetAuthor(SESSION.id, 'eve')).toEqual(erased);
      expect(await textsIn(store)).toEqual(['ada asks', 'to ada', 'ada goes on', 'ada again', 'to ada again']);
    });

    it('raises epoch and revision, even when nothing was found', async (store) => {
      await mustAppend(store, someTalk());
      expect(await store.forgetAuthor(SESSION.id, 'nobody')).toEqual(NOTHING_ERASED);
      expect(await store.loadHistory(SESSION.id, { summary: false })).toMatchObject({ epoch: 1, revision: 1 });
    });

    it('takes quotes of the person back, and voids their counts', async (store) => {
      const eve = await mustAppend(store, aMessage({ authorId: 'eve' }));
      const quoting = await mustAppend(store, someTalk({ quote: aQuoteOf(eve), text: 'indeed' }));
      const other = await mustAppend(store, someTalk({ quote: { ...aQuoteOf(eve), authorId: 'ada' } }));
      await store.saveCounts([{ seq: quoting.seq, tokens: 4, encoding: 'o200k_base' }]);
      await store.forgetAuthor(SESSION.id, 'eve');
      expect(await messagesIn(store)).toEqual([{ ...quoting, quote: null }, other]);
    });

    it('marks summaries dirty from the first thing that the person left', async (store) => {
      const [a = 0] = await appendSome(store, 1);
      await summarize(store, a);
      const eve = await mustAppend(store, someTalk({ authorId: 'eve' }));
      const { answer } = await converse(store);
      await summarize(store, eve.seq);
      await summarize(store, answer.seq);
      expect(await store.forgetAuthor(SESSION.id, 'eve')).toMatchObject({ dirtied: 2, unrebuildable: null });
      expect(await watermarks(store)).toEqual([a, -answer.seq]);
    });

    it('marks all summaries dirty once retention has deleted rows, and names the newest', async (store) => {
      await mustAppend(store, someTalk({ authorId: 'eve' }));
      const [b = 0, c = 0] = await appendSome(store, 2);
      await summarize(store, b, { dropCovered: true });
      await summarize(store, c);
      const { dirtied, unrebuildable } = await store.forgetAuthor(SESSION.id, 'eve');
      expect(dirtied).toBe(2);
      expect(unrebuildable).toMatchObject({ throughSeq: c, dirty: true });
      expect((await store.loadHistory(SESSION.id, { summary: true })).summary).toBeNull();
    });

    it('says under which names the person appeared, as a writer and in quotes, each once', async (store) => {
      const named = (authorName: string) => someTalk({ authorId: 'eve', authorName });
      for (const name of ['Eve', 'Evie', 'Eve', 'Eve\nof Oz', '']) await mustAppend(store, named(name));
      const quote = { platformId: anId(), authorId: 'eve', authorName: 'Evelyn', text: 'hm' };
      await mustAppend(store, someTalk({ quote }));
      await mustAppend(store, aMessage({ authorId: 'ada', authorName: 'Eva' }));
      const { names } = await store.forgetAuthor(SESSION.id, 'eve');
      expect(names).toEqual(['Eve', 'Evie', 'Eve of Oz', 'Evelyn']);
      expect(await store.forgetAuthor(SESSION.id, 'eve')).toEqual(NOTHING_ERASED);
    });

    it('knows the names of somebody whose rows retention has deleted', async (store) => {
      const eve = await mustAppend(store, someTalk({ authorId: 'eve', authorName: 'Eve' }));
      await summarize(store, eve.seq, { dropCovered: true });
      expect(await store.forgetAuthor(SESSION.id, 'eve')).toMatchObject({ messages: 0, dirtied: 1, names: ['Eve'] });
    });

    it('leaves summaries clean for somebody who never appeared, whatever retention has deleted', async (store) => {
      const [a = 0] = await appendSome(store, 1);
      await summarize(store, a, { dropCovered: true });
      expect(await store.forgetAuthor(SESSION.id, 'nobody')).toEqual(NOTHING_ERASED);
      expect(await watermarks(store)).toEqual([a]);
    });

    it('goes through a long talk once, with an answer or without', async (store) => {
      const long = 20_000;
      const talk = Array.from({ length: long }, (_, i) => someTalk({ authorId: i % 2 === 0 ? 'eve' : 'ada' }));
      await store.appendAll(talk);
      await converse(store);
      await store.appendAll(talk.map((message) => ({ ...message, platformId: `${message.platformId} again` })));
      expect(await store.forgetAuthor(SESSION.id, 'eve')).toMatchObject({ messages: long, answers: 1 });
    });

    it('does not let what was erased come back when it is delivered again', async (store) => {
      const message = aMessage({ authorId: 'eve' });
      await mustAppend(store, message);
      await store.forgetAuthor(SESSION.id, 'eve');
      expect(await store.append(message)).toBeNull();
      expect(await store.append(aMessage({ authorId: 'eve' }))).not.toBeNull();
    });

    it('leaves the person in other sessions alone', async (store) => {
      await mustAppend(store, aMessage({ authorId: 'eve', sessionId: 'discord:200', text: 'elsewhere' }));
      await store.forgetAuthor(SESSION.id, 'eve');
      expect(await textsIn(store, 'discord:200')).toEqual(['elsewhere']);
      expect((await store.sessionFacts('discord:200')).epoch).toBe(0);
    });
  });
}

export function forgetLastContract(open: OpenStore): void {
  const it = withStore(open);

  describe('forgetLast', () => {
    it('erases the newest turn with its answer and raises the epoch', async (store) => {
      await converse(store, { text: 'older' }, { text: 'older answer' });
      await converse(store);
      expect(await store.forgetLast(SESSION.id, null)).toEqual({ ...NOTHING_ERASED, messages: 1, answers: 1 });
      expect(await textsIn(store)).toEqual(['older', 'older answer']);
      expect(await store.loadHistory(SESSION.id, { summary: false })).toMatchObject({ epoch: 1, revision: 1 });
    });

    it('leaves talk before and after the turn, and what failed before it', async (store) => {
      await mustAppend(store, aQuestion({ text: 'failed' }));
      await store.failTurn(await pendingTurn(store));
      await mustAppend(store, someTalk({ text: 'before' }));
      await mustAppend(store, aQuestion());
      await mustAppend(store, someTalk({ text: 'within' }));
      await converse(store);
      await mustAppend(store, someTalk({ text: 'after' }));
      expect(await store.forgetLast(SESSION.id, null)).toMatchObject({ messages: 3, answers: 1 });
      expect(await textsIn(store)).toEqual(['failed', 'before', 'after']);
    });

    it("erases only the person's own part of the turn, with the answer", async (store) => {
      await mustAppend(store, aQuestion({ authorId: 'ben', text: 'ben asks' }));
      await converse(store, { authorId: 'ada' });
      expect(await store.forgetLast(SESSION.id, 'ada')).toMatchObject({ messages: 1, answers: 1 });
      expect(await textsIn(store)).toEqual(['ben asks']);
    });

    it("does nothing, and stops nothing, when the newest turn is other people's", async (store) => {
      await converse(store, { authorId: 'ada' });
      await converse(store, { authorId: 'ben' });
      expect(await store.forgetLast(SESSION.id, 'ada')).toEqual(NOTHING_ERASED);
      expect(await store.sessionFacts(SESSION.id)).toMatchObject({ messages: 4, epoch: 0 });
    });

    it('takes a waiting question back, so that it is not answered', async (store) => {
      await converse(store, { text: 'older' }, { text: 'older answer' });
      await mustAppend(store, aQuestion());
      const turn = await pendingTurn(store);
      expect(await store.forgetLast(SESSION.id, 'ada')).toMatchObject({ messages: 1, answers: 0 });
      expect(await store.storeAnswer(turn, anAnswer())).toBeNull();
      expect(await textsIn(store)).toEqual(['older', 'older answer']);
    });

    it('takes an answer back that is being delivered', async (store) => {
      await mustAppend(store, aQuestion());
      const turn = await pendingTurn(store);
      await store.storeAnswer(turn, anAnswer());
      expect(await store.forgetLast(SESSION.id, 'ada')).toMatchObject({ messages: 1, answers: 1 });
      expect(await store.settleTurn(turn)).toBe(false);
    });

    it('erases the newest failed question when that came last', async (store) => {
      await converse(store, { text: 'answered' }, { text: 'answer' });
      for (const text of ['failed once', 'failed twice']) {
        await mustAppend(store, aQuestion({ text }));
        await store.failTurn(await pendingTurn(store));
      }
      expect(await store.forgetLast(SESSION.id, null)).toMatchObject({ messages: 1, answers: 0 });
      expect(await textsIn(store)).toEqual(['answered', 'answer', 'failed once']);
    });

    it('finds nothing where nothing was said, or only talk', async (store) => {
      expect(await store.forgetLast(SESSION.id, null)).toEqual(NOTHING_ERASED);
      await mustAppend(store, someTalk());
      expect(await store.forgetLast(SESSION.id, null)).toEqual(NOTHING_ERASED);
      expect((await store.sessionFacts(SESSION.id)).messages).toBe(1);
    });

    it('goes back turn by turn', async (store) => {
      for (let i = 0; i < 3; i += 1) await converse(store, { text: `q${i}` }, { text: `a${i}` });
      await store.forgetLast(SESSION.id, null);
      await store.forgetLast(SESSION.id, null);
      expect(await textsIn(store)).toEqual(['q0', 'a0']);
    });

    it('reaches summaries and quotes of the turn, and does not let it come back', async (store) => {
      const message = aMessage({ state: 'pending' });
      const { question, answer } = await converse(store, message);
      await mustAppend(store, someTalk({ quote: aQuoteOf(question) }));
      await summarize(store, answer.seq);
      expect(await store.forgetLast(SESSION.id, null)).toMatchObject({ dirtied: 1 });
      expect(await watermarks(store)).toEqual([-answer.seq]);
      expect(await messagesIn(store)).toMatchObject([{ quote: null }]);
      expect(await store.append(message)).toBeNull();
    });
  });
}

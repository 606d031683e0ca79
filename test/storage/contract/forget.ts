import { describe, expect } from 'vitest';
import {
  aMessage,
  anAnswer,
  anId,
  aQuestion,
  aQuoteOf,
  converse,
  keep,
  openTurn,
  someTalk,
  summarise,
} from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { saySome, watermarks } from './folding.js';
import { mustOpen, SESSION, stage, texts, told } from './stage.js';

const NOTHING = { messages: 0, answers: 0, summaries: 0, dirtied: 0, unrebuildable: null, names: [] as string[] };

export function forgetContract(open: OpenStore): void {
  const it = stage(open);

  describe('forgetSession', () => {
    it('erases messages and summaries, raises the epoch and begins anew', async (store) => {
      const { answer } = await converse(store);
      await summarise(store, answer.seq, { dropCovered: true });
      await keep(store, someTalk());
      await keep(store, aQuestion());
      await store.storeAnswer(await mustOpen(store), anAnswer());
      const erased = { ...NOTHING, messages: 2, answers: 1, summaries: 1 };
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
      expect(await store.forgetSession(SESSION.id)).toEqual(NOTHING);
      await store.forgetSession('discord:unknown');
      expect((await store.sessionFacts(SESSION.id)).epoch).toBe(2);
      expect((await store.sessionFacts('discord:unknown')).epoch).toBe(1);
    });

    it('never gives a number again', async (store) => {
      const [, b = 0] = await saySome(store, 2);
      await store.forgetSession(SESSION.id);
      const [c = 0] = await saySome(store, 1);
      expect(c).toBeGreaterThan(b);
    });
  });

  describe('forgetAuthor', () => {
    it('erases what a person wrote, and the answer to every turn in which they wrote', async (store) => {
      await converse(store, { text: 'ada asks' }, { text: 'to ada' });
      await keep(store, someTalk({ authorId: 'eve', text: 'eve chats' }));
      await converse(store, { text: 'ada goes on' }, { text: 'to ada and eve' });
      await converse(store, { authorId: 'eve', text: 'eve asks' }, { text: 'to eve' });
      await converse(store, { text: 'ada again' }, { text: 'to ada again' });
      const erased = { ...NOTHING, messages: 2, answers: 2, names: ['Ben', 'Ada'] };
      expect(await store.forgetAuthor(SESSION.id, 'eve')).toEqual(erased);
      expect(await texts(store)).toEqual(['ada asks', 'to ada', 'ada goes on', 'ada again', 'to ada again']);
    });

    it('raises epoch and revision, even when nothing was found', async (store) => {
      await keep(store, someTalk());
      expect(await store.forgetAuthor(SESSION.id, 'nobody')).toEqual(NOTHING);
      expect(await store.loadHistory(SESSION.id, { summary: false })).toMatchObject({ epoch: 1, revision: 1 });
    });

    it('takes quotes of the person back, and voids their counts', async (store) => {
      const eve = await keep(store, aMessage({ authorId: 'eve' }));
      const quoting = await keep(store, someTalk({ quote: aQuoteOf(eve), text: 'indeed' }));
      const other = await keep(store, someTalk({ quote: { ...aQuoteOf(eve), authorId: 'ada' } }));
      await store.saveCounts([{ seq: quoting.seq, tokens: 4, encoding: 'o200k_base' }]);
      await store.forgetAuthor(SESSION.id, 'eve');
      expect(await told(store)).toEqual([{ ...quoting, quote: null }, other]);
    });

    it('marks summaries dirty from the first thing that the person left', async (store) => {
      const [a = 0] = await saySome(store, 1);
      await summarise(store, a);
      const eve = await keep(store, someTalk({ authorId: 'eve' }));
      const { answer } = await converse(store);
      await summarise(store, eve.seq);
      await summarise(store, answer.seq);
      expect(await store.forgetAuthor(SESSION.id, 'eve')).toMatchObject({ dirtied: 2, unrebuildable: null });
      expect(await watermarks(store)).toEqual([a, -answer.seq]);
    });

    it('marks all summaries dirty once retention has deleted rows, and names the newest', async (store) => {
      await keep(store, someTalk({ authorId: 'eve' }));
      const [b = 0, c = 0] = await saySome(store, 2);
      await summarise(store, b, { dropCovered: true });
      await summarise(store, c);
      const { dirtied, unrebuildable } = await store.forgetAuthor(SESSION.id, 'eve');
      expect(dirtied).toBe(2);
      expect(unrebuildable).toMatchObject({ throughSeq: c, dirty: true });
      expect((await store.loadHistory(SESSION.id, { summary: true })).summary).toBeNull();
    });

    it('says under which names the person appeared, as a writer and in quotes, each once', async (store) => {
      const named = (authorName: string) => someTalk({ authorId: 'eve', authorName });
      for (const name of ['Eve', 'Evie', 'Eve', 'Eve\nof Oz', '']) await keep(store, named(name));
      const quote = { platformId: anId(), authorId: 'eve', authorName: 'Evelyn', text: 'hm' };
      await keep(store, someTalk({ quote }));
      await keep(store, aMessage({ authorId: 'ada', authorName: 'Eva' }));
      const { names } = await store.forgetAuthor(SESSION.id, 'eve');
      expect(names).toEqual(['Eve', 'Evie', 'Eve of Oz', 'Evelyn']);
      expect(await store.forgetAuthor(SESSION.id, 'eve')).toEqual(NOTHING);
    });

    it('knows the names of somebody whose rows retention has deleted', async (store) => {
      const eve = await keep(store, someTalk({ authorId: 'eve', authorName: 'Eve' }));
      await summarise(store, eve.seq, { dropCovered: true });
      expect(await store.forgetAuthor(SESSION.id, 'eve')).toMatchObject({ messages: 0, dirtied: 1, names: ['Eve'] });
    });

    it('leaves summaries clean for somebody who never appeared, whatever retention has deleted', async (store) => {
      const [a = 0] = await saySome(store, 1);
      await summarise(store, a, { dropCovered: true });
      expect(await store.forgetAuthor(SESSION.id, 'nobody')).toEqual(NOTHING);
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
      await keep(store, message);
      await store.forgetAuthor(SESSION.id, 'eve');
      expect(await store.append(message)).toBeNull();
      expect(await store.append(aMessage({ authorId: 'eve' }))).not.toBeNull();
    });

    it('leaves the person in other sessions alone', async (store) => {
      await keep(store, aMessage({ authorId: 'eve', sessionId: 'discord:200', text: 'elsewhere' }));
      await store.forgetAuthor(SESSION.id, 'eve');
      expect(await texts(store, 'discord:200')).toEqual(['elsewhere']);
      expect((await store.sessionFacts('discord:200')).epoch).toBe(0);
    });
  });
}

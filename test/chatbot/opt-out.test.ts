import { describe, expect, it, onTestFinished } from 'vitest';
import type { UserMessage } from '../../src/conversation/message.js';
import { personScope } from '../../src/conversation/session.js';
import { type Bench, putOnBench } from './bench.js';

async function aBench(): Promise<Bench> {
  const bench = await putOnBench();
  onTestFinished(() => bench.close());
  return bench;
}

const optOut = (bench: Bench, authorId: string) =>
  bench.bot.people.setOptOut(personScope(bench.session), authorId, true, 1);

/** Something said to the bot by Ada. */
function said({ session, time }: Bench, more: Partial<UserMessage> = {}): UserMessage {
  const by = { authorId: 'ada', authorName: 'Ada' };
  const plain = { platformId: 'x', text: 'unheard', quote: null, createdAt: time.now, addressed: true };
  return { session, ...by, ...plain, ...more };
}

async function stored({ parts, session }: Bench): Promise<string[]> {
  const { messages } = await parts.store.loadHistory(session.id, { summary: false });
  return messages.map(({ text, quote }) => (quote === null ? text : `${quote.text} > ${text}`));
}

describe('somebody who has opted out', () => {
  it('is not stored in any receive mode, and it is known whether they were told', async () => {
    const bench = await aBench();
    await optOut(bench, 'ada');
    for (const how of ['normal', 'refused', 'kept'] as const) {
      expect(await bench.bot.receive(said(bench), how)).toEqual({ kind: 'opted-out', told: false });
    }
    await bench.bot.people.markTold(personScope(bench.session), 'ada');
    expect(await bench.bot.receive(said(bench))).toEqual({ kind: 'opted-out', told: true });
    expect(await stored(bench)).toEqual([]);
  });

  it('is not quoted', async () => {
    const bench = await aBench();
    await optOut(bench, 'ada');
    const quote = { platformId: 'q', authorId: 'ada', authorName: 'Ada', text: 'unheard' };
    await bench.say('about that', { authorId: 'ben', authorName: 'Ben', quote });
    expect(await stored(bench)).toEqual(['about that', 'answer 1']);
  });

  it('has what they change erased: neither the old text nor the new one is kept', async () => {
    const bench = await aBench();
    await bench.say('the old text');
    await bench.say('another');
    await optOut(bench, 'ada');
    const edit = { platformId: 'm1', authorId: 'ada' };
    expect(await bench.bot.edit(bench.session, { ...edit, text: 'the new text' })).toBe(true);
    expect(await stored(bench)).toEqual(['another', 'answer 2']);
  });

  it('keeps what was stored before for as long as it says the same', async () => {
    const bench = await aBench();
    await bench.say('the old text');
    await optOut(bench, 'ada');
    expect(await bench.bot.edit(bench.session, { platformId: 'm1', authorId: 'ada', text: 'the old text' })).toBe(
      false,
    );
    expect(await stored(bench)).toEqual(['the old text', 'answer 1']);
  });
});

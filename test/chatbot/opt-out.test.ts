import { describe, expect, it, onTestFinished } from 'vitest';
import type { UserMessage } from '../../src/conversation/message.js';
import { personScope } from '../../src/conversation/session.js';
import { openChatbot, type TestChatbot } from '../support/chatbot.js';

async function openWorld(): Promise<TestChatbot> {
  const world = await openChatbot();
  onTestFinished(() => world.close());
  return world;
}

const optOut = (world: TestChatbot, authorId: string) =>
  world.chatbot.people.setOptOut(personScope(world.session), authorId, true, 1);

/** Something said to the bot by Ada. */
function said({ session, time }: TestChatbot, more: Partial<UserMessage> = {}): UserMessage {
  const by = { authorId: 'ada', authorName: 'Ada' };
  const plain = { platformId: 'x', text: 'unheard', quote: null, createdAt: time.now, addressed: true };
  return { session, ...by, ...plain, ...more };
}

async function stored({ deps, session }: TestChatbot): Promise<string[]> {
  const { messages } = await deps.store.loadHistory(session.id, { summary: false });
  return messages.map(({ text, quote }) => (quote === null ? text : `${quote.text} > ${text}`));
}

describe('somebody who has opted out', () => {
  it('is not stored in any receive mode, and it is known whether they were told', async () => {
    const world = await openWorld();
    await optOut(world, 'ada');
    for (const how of ['normal', 'refused', 'kept'] as const) {
      expect(await world.chatbot.receive(said(world), how)).toEqual({ kind: 'opted-out', told: false });
    }
    await world.chatbot.people.markTold(personScope(world.session), 'ada');
    expect(await world.chatbot.receive(said(world))).toEqual({ kind: 'opted-out', told: true });
    expect(await stored(world)).toEqual([]);
  });

  it('is not quoted', async () => {
    const world = await openWorld();
    await optOut(world, 'ada');
    const quote = { platformId: 'q', authorId: 'ada', authorName: 'Ada', text: 'unheard' };
    await world.say('about that', { authorId: 'ben', authorName: 'Ben', quote });
    expect(await stored(world)).toEqual(['about that', 'answer 1']);
  });

  it('has what they change erased: neither the old text nor the new one is kept', async () => {
    const world = await openWorld();
    await world.say('the old text');
    await world.say('another');
    await optOut(world, 'ada');
    const edit = { platformId: 'm1', authorId: 'ada' };
    expect(await world.chatbot.edit(world.session, { ...edit, text: 'the new text' })).toBe(true);
    expect(await stored(world)).toEqual(['another', 'answer 2']);
  });

  it('keeps what was stored before for as long as it says the same', async () => {
    const world = await openWorld();
    await world.say('the old text');
    await optOut(world, 'ada');
    expect(await world.chatbot.edit(world.session, { platformId: 'm1', authorId: 'ada', text: 'the old text' })).toBe(
      false,
    );
    expect(await stored(world)).toEqual(['the old text', 'answer 1']);
  });
});

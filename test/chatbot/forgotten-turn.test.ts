import { describe, expect, it, onTestFinished } from 'vitest';
import { openChatbot, type TestChatbot } from '../support/chatbot.js';
import { scriptedModel } from '../support/scripted-model.js';

/** A chatbot whose model forgets Ben, who has said something, while it writes its first `times` answers to Ada. */
async function forgetting(times: number): Promise<TestChatbot> {
  const model = scriptedModel(async (_, __, n) => {
    if (n > 1 && n <= 1 + times) {
      await world.chatbot.forget(world.session, { what: 'me', authorId: 'ben', authorName: 'Ben' });
    }
    return `answer ${n}`;
  });
  const world = await openChatbot({ model });
  onTestFinished(() => world.close());
  await world.say('the word of Ben', { authorId: 'ben', authorName: 'Ben' });
  return world;
}

describe('a turn in which somebody else is forgotten', () => {
  it('is run again, without what was forgotten', async () => {
    const world = await forgetting(1);
    const { text, outcome } = await world.say('and mine?');
    expect(outcome).toMatchObject({ kind: 'answered' });
    expect(text).toBe('answer 2answer 3');
    expect(world.model.asked[2]?.prompt.messages).toEqual([{ role: 'user', content: 'Ada: and mine?' }]);
    const { messages } = await world.deps.store.loadHistory(world.session.id, { summary: false });
    expect(messages.map(({ text: kept, state }) => [kept, state])).toEqual([
      ['and mine?', 'answered'],
      ['answer 3', 'answered'],
    ]);
  });

  it('is run again once, not for ever', async () => {
    const world = await forgetting(9);
    expect((await world.say('and mine?')).outcome).toEqual({ kind: 'forgotten' });
    expect(world.model.asked).toHaveLength(3);
    expect(await world.deps.store.pendingSessions()).toEqual([]);
  });

  it('answers what is left of it', async () => {
    const world = await forgetting(1);
    const message = { session: world.session, quote: null, createdAt: world.time.now, addressed: true };
    await world.chatbot.receive({
      ...message,
      platformId: 'x',
      authorId: 'ada',
      authorName: 'Ada',
      text: 'a question of Ada',
    });
    const { outcome } = await world.say('a question of Ben', { authorId: 'ben', authorName: 'Ben' });
    expect(outcome).toMatchObject({ kind: 'answered' });
    expect(world.model.asked[2]?.prompt.messages).toEqual([{ role: 'user', content: 'Ada: a question of Ada' }]);
  });
});

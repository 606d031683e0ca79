import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { en } from '../../src/words/en.js';
import { answer, stream } from '../support/fake-openai/index.js';
import { gate } from '../support/gate.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld();
});
afterEach(() => world.close());

const sessionOf = (channel: { id: string }) => ({
  id: `discord:${channel.id}`,
  parentId: null,
  serverId: world.guild.id,
});

/** Streams the beginning of the first answer, and its end once the gate is open; what comes later is answered at once. */
function slowly(end: Promise<void>): void {
  let first = true;
  world.model.respond = () => {
    if (!first) return answer('The second try.');
    first = false;
    return stream('What Ben said', { wait: end }, ' was this.', { finish: 'stop' });
  };
}

describe('a question whose answer is being written while somebody is forgotten', () => {
  it('is answered anew in the same place, if it was somebody else', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    const ben = discord.addUser({ name: 'Ben' });
    await world.ask('the word of Ben', channel, ben);
    const end = gate();
    slowly(end.opened);
    const question = world.mention(ada, channel, 'what did Ben say');
    await discord.replyTo(question);
    await world.running().chatbot.forget(sessionOf(channel), { what: 'me', authorId: ben.id, authorName: 'Ben' });
    end.open();
    const shown = await discord.replyTo(question, ({ content }) => content === 'The second try.');
    expect(shown.content).toBe('The second try.');
    expect(discord.botMessagesIn(channel)).toHaveLength(2);
    expect(JSON.stringify(discord.botMessagesIn(channel))).not.toContain('What Ben said');
  });

  it('moves to the question that is left, if who asked last was forgotten', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    const ben = discord.addUser({ name: 'Ben' });
    const [before, end] = [gate(), gate()];
    world.model.respond = () => stream('One', { wait: before.opened }, { finish: 'stop' });
    await discord.replyTo(world.mention(ada, channel, 'takes a while'));
    const question = world.mention(ada, channel, 'a question of Ada');
    const other = world.mention(ben, channel, 'a question of Ben');
    const waits = () => world.running().store.unfinishedAnswer(sessionOf(channel).id);
    await expect.poll(() => waits().then((found) => found?.turn.questions.length)).toBe(3);
    slowly(end.opened);
    before.open();
    await discord.replyTo(other);
    await world.running().chatbot.forget(sessionOf(channel), { what: 'me', authorId: ben.id, authorName: 'Ben' });
    end.open();
    await discord.replyTo(question, ({ content }) => content === 'The second try.');
    await expect.poll(() => discord.botMessagesIn(channel).length).toBe(2);
  });

  it('is told so, if all of the session was forgotten', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    const end = gate();
    slowly(end.opened);
    const question = world.mention(ada, channel, 'what did Ben say');
    await discord.replyTo(question);
    await world.running().chatbot.forget(sessionOf(channel), { what: 'session' });
    end.open();
    await discord.replyTo(question, ({ content }) => content === en.chat.forgotten);
    expect(discord.botMessagesIn(channel)).toHaveLength(1);
  });
});

describe('a question that waits for its turn', () => {
  it('is told so when the session is forgotten meanwhile', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    const end = gate();
    slowly(end.opened);
    await discord.replyTo(world.mention(ada, channel, 'takes a while'));
    const second = world.mention(ada, channel, 'and mine');
    await discord.journal.waitFor({ method: 'PUT', path: new RegExp(`/messages/${second.id}/reactions/`) });
    await world.running().chatbot.forget(sessionOf(channel), { what: 'session' });
    end.open();
    expect((await discord.replyTo(second)).content).toBe(en.chat.forgotten);
  });
});

describe('a question that was answered with an earlier one', () => {
  it('is not called forgotten where nothing is kept of it any more', async () => {
    const { discord, channel, ada } = world;
    await world.start({ options: { retentionDays: 0 } });
    const { chatbot, store } = world.running();
    await chatbot.setStrategy(sessionOf(channel), sessionOf(channel).id, 'window', { k: 0 });
    const end = gate();
    world.model.respond = () => stream('One', { wait: end.opened }, { finish: 'stop' });
    await discord.replyTo(world.mention(ada, channel, 'takes a while'));
    world.model.respond = () => undefined;
    world.mention(ada, channel, 'the second');
    const third = world.mention(ada, channel, 'the third');
    await expect.poll(() => chatbot.waiting(sessionOf(channel).id)).toBe(3);
    end.open();
    await discord.replyTo(third);
    await expect.poll(() => chatbot.waiting(sessionOf(channel).id)).toBe(0);
    expect(await store.platformIdsSince(sessionOf(channel).id, 0, 10)).toEqual([]);
    await world.ask('and now');
    expect(discord.botMessagesIn(channel).map(({ content }) => content)).not.toContain(en.chat.forgotten);
  });
});

it('says that the answer was lost, not the question, if others are forgotten again and again', async () => {
  const { discord, channel, ada } = world;
  await world.start();
  const { chatbot, store } = world.running();
  const ben = discord.addUser({ name: 'Ben' });
  await world.ask('the word of Ben', channel, ben);
  world.model.respond = () =>
    stream(
      'What Ben',
      {
        wait: chatbot.forget(sessionOf(channel), { what: 'me', authorId: ben.id, authorName: 'Ben' }),
      },
      ' said',
      { finish: 'stop' },
    );
  const question = world.mention(ada, channel, 'what did Ben say');
  await discord.replyTo(question, ({ content }) => content === en.chat.lost);
  const { messages } = await store.loadHistory(sessionOf(channel).id, { summary: false });
  expect(messages.map(({ text, state }) => [text, state])).toEqual([['what did Ben say', 'failed']]);
});

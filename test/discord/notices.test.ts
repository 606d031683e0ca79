import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { en } from '../../src/words/en.js';
import { answer } from '../support/fake-openai/index.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld({ options: { maxAnswerTokens: 1_000 } });
  await world.start();
});
afterEach(() => world.close());

type Ref = { id: string };

const server = () => `server:${world.guild.id}`;
const lines = (channel: Ref) =>
  world.discord.botMessagesIn(channel).filter(({ content }) => content === en.settings.listeningToAll);

/** Says something that is only listened to, and waits until it is kept. */
async function talk(channel: Ref, text: string): Promise<void> {
  world.discord.say(world.ada, channel, text);
  const kept = async () =>
    (await world.running().store.loadHistory(`discord:${channel.id}`, { summary: true })).messages.map(
      (row) => row.text,
    );
  await expect.poll(kept).toContain(text);
}

const listen = (value: string, scope = server()) => world.running().chatbot.set(scope, 'listen', value);

it('tells the asker, and nobody else, that their tokens are nearly used up', async () => {
  const { discord, channel, ada } = world;
  await world.running().chatbot.accounts.setBudget(server(), { person: 1_450 });
  world.model.respond = () => answer('y'.repeat(1_000));
  const question = world.mention(ada, channel, 'x'.repeat(400));
  const told = await discord.botMessage(channel, ({ content }) => content === en.budget.nearly.person);
  expect(told.message_reference?.message_id).toBe(question.id);
});

describe('a server in which all talk is remembered from now on', () => {
  it('hears so in each channel at its first talk, once, also over a restart', async () => {
    const { discord, guild, channel } = world;
    const other = discord.addChannel(guild);
    await listen('all');
    for (const place of [channel, other, channel]) await talk(place, `talk in ${place.id}`);
    await expect.poll(() => lines(channel).length + lines(other).length).toBe(2);
    await world.stop();
    await world.start();
    await talk(channel, 'after the restart');
    await world.ask('are you there');
    expect([lines(channel), lines(other)].map(({ length }) => length)).toEqual([1, 1]);
    expect(lines(channel)[0]?.message_reference).toBeUndefined();
  });

  it('hears so again when it was turned off meanwhile', async () => {
    const { channel } = world;
    await listen('all');
    await talk(channel, 'one');
    await expect.poll(() => lines(channel)).toHaveLength(1);
    await listen('addressed');
    world.time.ahead += 1_000;
    await listen('all');
    await talk(channel, 'two');
    await expect.poll(() => lines(channel)).toHaveLength(2);
  });

  it('does not hear it anew in the threads of a channel that was told', async () => {
    const { discord, channel, ada } = world;
    await listen('all');
    await talk(channel, 'one');
    await expect.poll(() => lines(channel)).toHaveLength(1);
    const thread = discord.addThread(channel, { owner: ada });
    await talk(thread, 'in the thread');
    await world.ask('are you there', thread);
    expect(lines(thread)).toEqual([]);
  });

  it('is not asked for what it does not allow: a channel where the bot may not write', async () => {
    const { discord, channel } = world;
    await listen('all');
    discord.setOverwrite(channel, { for: discord.botUser, deny: ['SendMessages'] });
    await talk(channel, 'one');
    await talk(channel, 'two');
    expect(discord.postsIn(channel)).toEqual([]);
    discord.setOverwrite(channel, { for: discord.botUser, allow: ['SendMessages'] });
    await talk(channel, 'three');
    await expect.poll(() => lines(channel)).toHaveLength(1);
  });

  it('hears nothing of it about what is addressed to the bot', async () => {
    const { channel } = world;
    await listen('all');
    await world.ask('hello');
    await world.ask('hello again');
    expect(lines(channel)).toEqual([]);
  });
});

it('tells one channel after the other where many awake at once, behind the answers', async () => {
  const { discord, guild, ada } = world;
  await listen('all');
  const rooms = Array.from({ length: 4 }, () => discord.addChannel(guild));
  const told = () => rooms.filter((channel) => lines(channel).length === 1).length;
  for (const channel of rooms) discord.say(ada, channel, 'good morning');
  await world.ask('how are you', rooms.at(-1));
  expect(told()).toBeLessThan(4);
  await expect.poll(told).toBe(4);
});

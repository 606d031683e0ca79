import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StorageError } from '../../src/conversation/errors.js';
import { en } from '../../src/words/en.js';
import { languages } from '../../src/words/index.js';
import { forever, stream } from '../support/fake-openai/index.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld();
});
afterEach(() => world.close());

const WARNING = '\u{26A0}\u{FE0F}';

/** The marks of each message in the room, oldest first. */
const marks = () =>
  world.discord.messagesIn(world.channel).map(({ reactions = [] }) => reactions.map(({ emoji }) => emoji.name).join());

const notices = () =>
  world.discord.botMessagesIn(world.channel).filter(({ content }) => content.startsWith('One question'));

/** Resolves when the bot has taken in all that was said. */
const taken = (count: number) =>
  expect
    .poll(async () => (await world.running().store.sessionFacts(`discord:${world.channel.id}`)).messages)
    .toBe(count);

describe('somebody who asks too fast', () => {
  it('is told once in a while; later questions get a mark, and those not too many', async () => {
    const { channel, ada } = world;
    await world.start({ bot: { cooldownMs: 3_600_000 } });
    await world.ask('first', channel, ada);
    const refused = Array.from({ length: 8 }, (_, i) => world.mention(ada, channel, `again ${i}`));
    await taken(10);
    await expect.poll(() => marks().filter((mark) => mark === WARNING)).toHaveLength(1);
    expect(notices().map(({ message_reference }) => message_reference?.message_id)).toEqual([refused[0]?.id]);
    world.time.ahead += 2_000;
    world.mention(ada, channel, 'still there');
    await expect.poll(() => marks().at(-1)).toBe(WARNING);
    expect(notices()).toHaveLength(1);
    world.time.ahead += 60_000;
    world.mention(ada, channel, 'and later');
    await expect.poll(notices).toHaveLength(2);
  });

  it('does not keep others from being told', async () => {
    const { discord, channel, ada } = world;
    await world.start({ bot: { cooldownMs: 3_600_000 } });
    const ben = discord.addUser({ name: 'Ben' });
    for (const person of [ada, ben]) await world.ask('first', channel, person);
    for (const person of [ada, ben]) world.mention(person, channel, 'again');
    await expect.poll(notices).toHaveLength(2);
  });
});

it('tells a channel once that too many questions wait there, however many people ask', async () => {
  const { discord, channel, ada } = world;
  await world.start({ bot: { queueLimit: 1 } });
  world.model.respond = () => stream('One', { wait: forever });
  await discord.replyTo(world.mention(ada, channel, 'first'));
  const people = Array.from({ length: 6 }, (_, i) => discord.addUser({ name: `P${i}` }));
  for (const person of people) world.mention(person, channel, 'me too');
  await expect.poll(() => marks().filter((mark) => mark === WARNING)).toHaveLength(1);
  expect(discord.botMessagesIn(channel).filter(({ content }) => content === en.limits.queueFull)).toHaveLength(1);
});

describe('what was missed and is too old to be answered', () => {
  it('is marked where it was addressed to the bot; of other talk the newest is', async () => {
    const { discord, guild, channel, ada } = world;
    const { chatbot } = await world.start();
    await chatbot.set(`server:${guild.id}`, 'respond', 'always');
    await world.ask('before the night');
    await world.stop();
    const talk = Array.from({ length: 30 }, (_, i) => discord.say(ada, channel, `talk ${i}`));
    const asked = world.mention(ada, channel, 'are you there');
    talk.push(discord.say(ada, channel, 'talk again'), discord.say(ada, channel, 'good night'));
    world.time.ahead = 3_600_000;
    await world.start();
    await taken(2 + talk.length + 1);
    const marked = () =>
      discord.messagesIn(channel).filter(({ reactions = [] }) => reactions.some(({ emoji }) => emoji.name === WARNING));
    await expect.poll(() => marked().map(({ id }) => id)).toEqual([asked.id, talk.at(-1)?.id]);
  });
});

it('tells who asked that the settings cannot be read; soon after, a mark does', async () => {
  const { discord, ada } = world;
  const channel = discord.addChannel(discord.addGuild({ locale: 'zh-CN' }));
  const { store } = await world.start();
  store.loadSettings = async () => {
    throw new StorageError('corrupt', 'torn page');
  };
  const question = world.mention(ada, channel, 'hello');
  expect((await discord.replyTo(question)).content).toBe(languages['zh-CN'].errors.corrupt);
  world.mention(ada, channel, 'hello?');
  const marksThere = () =>
    discord
      .messagesIn(channel)
      .at(-1)
      ?.reactions?.map(({ emoji }) => emoji.name);
  await expect.poll(marksThere).toEqual([WARNING]);
  discord.say(ada, channel, 'not for the bot');
  world.mention(ada, world.channel, 'hello');
  await discord.botMessage(world.channel);
  expect(discord.botMessagesIn(channel)).toHaveLength(1);
});

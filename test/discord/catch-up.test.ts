import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forever, stream } from '../support/fake-openai/index.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld();
});
afterEach(() => world.close());

type Ref = { id: string };

const MINUTE = 60_000;

/** What is kept of a channel or thread. */
async function kept(place: Ref): Promise<string[]> {
  const { messages } = await world.running().store.loadHistory(`discord:${place.id}`, { summary: true });
  return messages.map(({ text }) => text);
}

/** Opts a person out of the server. */
function optOut(person: Ref): Promise<void> {
  return world.running().chatbot.people.setOptOut(`server:${world.guild.id}`, person.id, true, 1);
}

describe('what happened while the bot was off', () => {
  it('is followed back to the channel’s beginning, over more than one page', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    const answer = await world.ask('the first of all');
    await world.stop();
    const [question] = discord.messagesIn(channel);
    for (let n = 0; n < 150; n += 1) discord.say(ada, channel, `not for the bot ${n}`);
    for (const gone of [question as Ref, answer]) discord.deleteMessage(gone);
    await world.start();
    await expect.poll(() => kept(channel)).toEqual([]);
  });

  it('may be that an answer was deleted: it goes, and its question stays', async () => {
    const { discord, channel } = world;
    await world.start();
    const answer = await world.ask('a question that stays');
    await world.ask('another');
    await world.stop();
    discord.deleteMessage(answer);
    await world.start();
    const left = ['a question that stays', 'another', 'You said: another'];
    await expect.poll(() => kept(channel)).toEqual(left);
  });

  it.each(['all of it was deleted', 'it was forgotten'])(
    'is followed where nothing is kept because %s: what was asked is answered, what went stays away',
    async (why) => {
      const { discord, channel, guild } = world;
      const { chatbot } = await world.start();
      await world.ask('let go of me');
      const session = { id: `discord:${channel.id}`, parentId: null, serverId: guild.id };
      if (why.endsWith('forgotten')) await chatbot.forget(session, { what: 'session' });
      else for (const said of discord.messagesIn(channel)) discord.deleteMessage(said);
      await expect.poll(() => kept(channel)).toEqual([]);
      await world.stop();
      const asked = world.mention(world.ada, channel, 'are you there');
      await world.start();
      await discord.replyTo(asked);
      await expect.poll(() => kept(channel)).toEqual(['are you there', 'You said: are you there']);
    },
  );

  it.each([true, false])(
    'may be that a thread lost its first message: it is erased (kept in its channel: %s)',
    async (both) => {
      const { discord, channel, ada, guild } = world;
      await world.start();
      if (both) await world.running().chatbot.set(`server:${guild.id}`, 'listen', 'all');
      const starter = discord.say(ada, channel, 'the plan of the shed');
      const thread = discord.addThread(channel, { owner: ada, from: starter });
      await world.ask('which colour', thread);
      const talk = ['which colour', 'You said: which colour'];
      await expect.poll(() => kept(thread)).toEqual(['the plan of the shed', ...talk]);
      expect(await kept(channel)).toEqual(both ? ['the plan of the shed'] : []);
      await world.stop();
      discord.deleteMessage(starter);
      await world.start();
      await expect.poll(() => kept(thread)).toEqual(talk);
      await expect.poll(() => kept(channel)).toEqual([]);
    },
  );

  it('may be that the first message of a thread says something else now', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    const starter = discord.say(ada, channel, 'the plan of the shed');
    const thread = discord.addThread(channel, { owner: ada, from: starter });
    await world.ask('which colour', thread);
    await world.stop();
    discord.edit(starter, 'the plan of the barn');
    await world.start();
    await expect.poll(() => kept(thread).then(([first]) => first)).toBe('the plan of the barn');
  });

  it('may be that somebody changed a message who has opted out: nothing of it is kept', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    await world.ask('the old text');
    await optOut(ada);
    await world.stop();
    discord.edit(discord.messagesIn(channel)[0] as Ref, `${discord.mention(discord.botUser)} the new text`);
    await world.start();
    await expect.poll(() => kept(channel)).toEqual([]);
  });
});

it('forgets a thread for good: the message that it was opened from does not come back either', async () => {
  const { discord, channel, ada, guild } = world;
  const { chatbot } = await world.start();
  const thread = discord.addThread(channel, { owner: ada, from: discord.say(ada, channel, 'the plan of the shed') });
  await world.ask('which colour', thread);
  const session = { id: `discord:${thread.id}`, parentId: `discord:${channel.id}`, serverId: guild.id };
  await chatbot.forget(session, { what: 'session' });
  await world.ask('what do you know', thread);
  await expect.poll(() => kept(thread)).toEqual(['what do you know', 'You said: what do you know']);
});

describe('somebody who has opted out', () => {
  it('has what they change erased at once', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    await world.ask('the old text');
    await optOut(ada);
    discord.edit(discord.messagesIn(channel)[0] as Ref, `${discord.mention(discord.botUser)} the new text`);
    await expect.poll(() => kept(channel)).toEqual([]);
  });

  it('is not quoted by the message that a thread was opened from', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    const ben = discord.addUser({ name: 'Ben' });
    const secret = discord.say(ada, channel, 'a secret of Ada');
    const starter = discord.say(ben, channel, 'what she said', { replyTo: secret });
    await optOut(ada);
    const thread = discord.addThread(channel, { owner: ben, from: starter });
    await world.ask('what is it about', thread, ben);
    const { messages } = await world.running().store.loadHistory(`discord:${thread.id}`, { summary: true });
    expect(messages[0]).toMatchObject({ text: 'what she said', quote: null });
  });
});

describe('a server that the bot was removed from', () => {
  const graceMs = 10 * MINUTE;

  it('is remembered for the time of grace, and forgotten after it by the hourly jobs', async () => {
    const { discord, guild, channel } = world;
    const { bot } = await world.start({ bot: { graceMs } });
    await world.ask('the cold shoulder');
    discord.removeGuild(guild);
    await expect.poll(() => world.running().chatbot.sessions.loadFact(`gone ${guild.id}`)).not.toBeNull();
    world.time.ahead += graceMs - MINUTE;
    await bot.removeGone();
    expect(await kept(channel)).toContain('the cold shoulder');
    world.time.ahead += 2 * MINUTE;
    await bot.removeGone();
    expect(await kept(channel)).toEqual([]);
    expect(await world.running().chatbot.sessions.servers()).toEqual([]);
  });

  // The model’s own deadline, after which anything would end, is twice as long.
  it('stops what it says there at once', async () => {
    const { discord, guild, openai } = world;
    await world.start({ bot: { graceMs } });
    world.model.respond = () => stream('Half an', { wait: forever });
    await discord.replyTo(world.mention(world.ada, world.channel, 'say much'));
    discord.removeGuild(guild);
    await openai.requests.at(-1)?.closed;
    await expect.poll(() => world.running().chatbot.sessions.pendingSessions()).toEqual([]);
  });

  it('goes on where it was when the bot comes back in time', async () => {
    const { discord, guild, channel } = world;
    const { bot } = await world.start({ bot: { graceMs } });
    await world.ask('before the return');
    discord.removeGuild(guild);
    await expect.poll(() => world.running().chatbot.sessions.loadFact(`gone ${guild.id}`)).not.toBeNull();
    discord.rejoinGuild(guild);
    await world.ask('after the return');
    await bot.removeGone();
    world.time.ahead += 2 * graceMs;
    await bot.removeGone();
    expect(await kept(channel)).toContain('before the return');
  });
});

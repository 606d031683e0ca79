import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forever, stream, whole } from '../support/fake-openai/index.js';
import { openRunningWorld, type ProcessWorld } from './process-world.js';

let world: ProcessWorld;
beforeAll(async () => {
  world = await openRunningWorld();
  for (const word of ['remember', 'recall', 'elsewhere']) world.model.on(word, whole('Noted.'));
});
afterAll(() => world.close());

/** The prompt of a new question in a channel. */
async function recalled(user: { id: string }, channel: { id: string }, word: string): Promise<string> {
  await world.ask(`recall ${word}`, channel, user);
  return world.model.promptFor(`recall ${word}`);
}

/** What the database holds once all that was told to the bot before has been followed. */
async function storedAfterwards(): Promise<string[]> {
  await world.ask('said elsewhere', world.addChannel(), world.addMember('Zoe'));
  return world.stored();
}

describe.concurrent('what becomes of changed and removed messages', () => {
  it('an edit changes what is remembered, a preview does not', async () => {
    const { discord } = world;
    const [ada, channel] = [world.addMember('Ada'), world.addChannel()];
    const question = world.mention(ada, channel, 'remember the number 12');
    await world.answerTo(question);
    discord.unfurl(question);
    discord.edit(question, `${discord.mention(discord.botUser)} remember the number 13`);
    const prompt = await recalled(ada, channel, 'the edit');
    expect(prompt).toContain('Ada: remember the number 13\nassistant: Noted.');
    expect(prompt).not.toContain('12');
  });

  it('a deleted question takes its answer with it', async () => {
    const { discord } = world;
    const [ada, channel] = [world.addMember('Ada'), world.addChannel()];
    const question = world.mention(ada, channel, 'remember a deleted thing');
    await world.answerTo(question);
    discord.deleteMessage(question);
    const prompt = await recalled(ada, channel, 'the deletion');
    expect(prompt).not.toMatch(/deleted thing|assistant/);
  });

  it('a deleted answer goes, and its question stays', async () => {
    const { discord } = world;
    const [ada, channel] = [world.addMember('Ada'), world.addChannel()];
    const answer = await world.ask('remember my question alone', channel, ada);
    await discord.command(ada, channel, 'memory show').reply();
    discord.deleteMessage(answer);
    const prompt = await recalled(ada, channel, 'the question');
    expect(prompt).toContain('question alone');
    expect(prompt).not.toContain('assistant');
  });

  it('messages deleted at once all go, also those that were quoted', async () => {
    const { discord } = world;
    const [ada, channel] = [world.addMember('Ada'), world.addChannel()];
    const quoted = discord.say(ada, channel, 'a quoted confession');
    const first = world.mention(ada, channel, 'remember one');
    await world.answerTo(first);
    const second = world.mention(ada, channel, 'remember two', { replyTo: quoted });
    await world.answerTo(second);
    discord.bulkDelete([first, quoted]);
    const prompt = await recalled(ada, channel, 'the rest');
    expect(prompt).toContain('Ada: remember two');
    expect(prompt).not.toMatch(/remember one|confession/);
  });

  it('a deleted message leaves the summary too', async () => {
    const { discord, model } = world;
    const [olga, channel] = [world.addMember('Olga', 'ManageChannels'), world.addChannel()];
    await discord.command(olga, channel, 'memory strategy summary', { scope: 'channel' }).reply();
    model.on('zebra', whole('Olga likes a zebra.'));
    model.on('yak', whole('Olga likes a yak.'));
    const zebra = world.mention(olga, channel, 'remember the zebra');
    await world.answerTo(zebra);
    await discord.command(olga, channel, 'memory summarize').reply();
    await world.ask('remember the yak', channel, olga);
    await discord.command(olga, channel, 'memory summarize').reply();
    expect(world.stored().join()).toContain('zebra');
    discord.deleteMessage(zebra);
    const summarized = await discord.command(olga, channel, 'memory summarize').reply();
    expect(summarized.content).not.toBe('');
    const shown = JSON.stringify((await discord.command(olga, channel, 'memory show').reply()).embeds);
    expect(shown).not.toContain('zebra');
    expect((await storedAfterwards()).join()).not.toContain('zebra');
  });

  it('a deleted thread is forgotten, its channel is not', async () => {
    const { discord } = world;
    const [ada, channel] = [world.addMember('Ada'), world.addChannel()];
    const thread = discord.addThread(channel, { owner: ada });
    await world.ask('remember the channel part', channel, ada);
    await world.ask('remember the thread part', thread, ada);
    discord.deleteThread(thread);
    const stored = (await storedAfterwards()).join('\n');
    expect(stored).toContain('the channel part');
    expect(stored).not.toContain('the thread part');
  });

  it('a deleted channel is forgotten with its threads, also in mid-answer', async () => {
    const { discord, model } = world;
    const [ada, channel] = [world.addMember('Ada'), world.addChannel()];
    const thread = discord.addThread(channel, { owner: ada });
    await world.ask('remember the doomed thread', thread, ada);
    await world.ask('remember the doomed channel', channel, ada);
    model.on('doomed answer', stream('Half an', { wait: forever }));
    await discord.replyTo(world.mention(ada, channel, 'a doomed answer'));
    const request = world.openai.requests.find(({ body }) => body.includes('a doomed answer'));
    discord.deleteChannel(channel);
    await request?.closed;
    expect((await storedAfterwards()).join('\n')).not.toContain('doomed');
  });

  it('a server with an outage, or that soon invites the bot again, is remembered', async () => {
    const { discord } = world;
    const [guild, other] = [discord.addGuild({ name: 'Frail' }), discord.addGuild({ name: 'Cold' })];
    const [channel, cold] = [discord.addChannel(guild), discord.addChannel(other)];
    const ada = discord.addUser({ name: 'Ada' });
    await world.ask('remember the outage', channel, ada);
    await world.ask('remember the cold shoulder', cold, ada);
    // Its command is answered behind the turn, which is settled then.
    await discord.command(ada, cold, 'memory show').reply();
    discord.guildUnavailable(guild);
    discord.guildBack(guild);
    discord.removeGuild(other);
    expect(await recalled(ada, channel, 'after the outage')).toContain('remember the outage');
    discord.rejoinGuild(other);
    expect(await recalled(ada, cold, 'after the return')).toContain('remember the cold shoulder');
  });
});

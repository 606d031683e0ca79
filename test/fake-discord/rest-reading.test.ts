import { type TextChannel, ThreadAutoArchiveDuration } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { errorCode, openGuild } from './harness.js';

describe('history', () => {
  it('is paged as by Discord, newest first', async () => {
    const { discord, text, channel, ada } = await openGuild();
    const ids = Array.from({ length: 7 }, (_, at) => discord.say(ada, channel, String(at)).id);
    const page = async (query: object) => [...(await text.messages.fetch({ ...query, cache: false })).values()];
    const texts = async (query: object) => (await page(query)).map(({ content }) => content);
    expect(await texts({ limit: 3 })).toEqual(['6', '5', '4']);
    expect(await texts({ limit: 2, after: ids[1] })).toEqual(['3', '2']);
    expect(await texts({ limit: 2, before: ids[2] })).toEqual(['1', '0']);
    expect(await texts({ limit: 3, around: ids[3] })).toEqual(['4', '3', '2']);
    expect(await texts({ after: ids[6] })).toEqual([]);
  });

  it('is empty without the permission to read it, and sorted by id', async () => {
    const { discord, text, channel, ada } = await openGuild();
    discord.say(ada, channel, 'now');
    discord.say(ada, channel, 'before', { at: discord.clock.now() - 60_000, unseen: true });
    expect((await text.messages.fetch()).map(({ content }) => content)).toEqual(['now', 'before']);
    discord.setOverwrite(channel, { for: discord.botUser, deny: ['ReadMessageHistory'] });
    expect((await text.messages.fetch({ limit: 5, cache: false })).size).toBe(0);
    expect(await errorCode(text.send({ content: 'x', reply: { messageReference: '1' } }))).toBe(160002);
  });
});

describe('attachments', () => {
  it('are uploaded as multipart and served until their link expires', async () => {
    const { discord, text, channel } = await openGuild();
    const sent = await text.send({
      files: [{ attachment: Buffer.from('hello'), name: 'a b.txt', description: 'greeting' }],
    });
    const [post] = discord.postsIn(channel);
    expect(post?.files.map(({ name, bytes }) => [name, bytes.toString()])).toEqual([['a b.txt', 'hello']]);
    const attachment = sent.attachments.first();
    expect(attachment).toMatchObject({ name: 'a_b.txt', size: 5, description: 'greeting' });
    const url = attachment?.url ?? '';
    expect(await (await fetch(url)).text()).toBe('hello');
    discord.clock.advance(25 * 3600_000);
    expect((await fetch(url)).status).toBe(404);
  });

  it('are kept by an edit unless it leaves them out', async () => {
    const { text, discord, channel } = await openGuild();
    const sent = await text.send({ content: 'one', files: [{ attachment: Buffer.from('1'), name: '1.txt' }] });
    const files = [{ attachment: Buffer.from('2'), name: '2.txt' }];
    await sent.edit({ content: 'two', files, attachments: [...sent.attachments.values()] });
    const names = () =>
      discord.messagesIn(channel).flatMap(({ attachments }) => attachments.map(({ filename }) => filename));
    expect(names()).toEqual(['1.txt', '2.txt']);
    await sent.edit({ attachments: [] });
    expect(names()).toEqual([]);
  });
});

describe('threads and reactions', () => {
  it('starts a thread from a message, whose id it takes', async () => {
    const { discord, text, channel, ada, client } = await openGuild();
    const question = discord.say(ada, channel, 'long story?');
    const message = await text.messages.fetch(question.id);
    const thread = await message.startThread({ name: 'story', autoArchiveDuration: ThreadAutoArchiveDuration.OneHour });
    expect(thread.id).toBe(question.id);
    await thread.send('once upon a time');
    expect(discord.botMessagesIn(thread).map(({ type, content }) => [type, content])).toEqual([
      [21, ''],
      [0, 'once upon a time'],
    ]);
    expect(
      await errorCode(
        client.rest.post(`/channels/${channel.id}/messages/${message.id}/threads`, { body: { name: 'x' } }),
      ),
    ).toBe(160004);
    expect(client.channels.cache.get(thread.id)?.isThread()).toBe(true);
  });

  it('accepts only threads in forums, whose first message has their id', async () => {
    const { discord, guild, client, ada } = await openGuild();
    const forum = discord.addChannel(guild, { name: 'help', type: 'forum' });
    expect(await errorCode(client.rest.post(`/channels/${forum.id}/messages`, { body: { content: 'x' } }))).toBe(40058);
    const { thread, message } = discord.addForumPost(forum, ada, { name: 'how?', text: 'like so?' });
    expect(message.id).toBe(thread.id);
    const post = (await client.channels.fetch(thread.id)) as unknown as TextChannel;
    expect((await post.messages.fetch(thread.id)).content).toBe('like so?');
  });

  it('hides a private thread from who is not its member', async () => {
    const { discord, client, channel, ada } = await openGuild();
    const hidden = discord.addThread(channel, { name: 'secret', owner: ada, private: true });
    expect(await errorCode(client.channels.fetch(hidden.id, { force: true }))).toBe(50001);
    const shared = discord.addThread(channel, {
      name: 'shared',
      owner: ada,
      private: true,
      members: [discord.botUser],
    });
    expect(await errorCode(client.channels.fetch(shared.id, { force: true }))).toBe('done');
  });

  it('adds and removes a reaction', async () => {
    const { discord, text, channel, ada } = await openGuild();
    const question = discord.say(ada, channel, 'ok?');
    const message = await text.messages.fetch(question.id);
    const reaction = await message.react('👀');
    expect(discord.messagesIn(channel)[0]?.reactions).toMatchObject([{ emoji: { name: '👀' }, count: 1, me: true }]);
    await reaction.users.remove();
    expect(discord.messagesIn(channel)[0]?.reactions).toBeUndefined();
    expect(await errorCode(message.react('nonsense'))).toBe(10014);
  });
});

describe('commands', () => {
  it('keep their ids when they are overwritten, and are validated', async () => {
    const { client, guild } = await openGuild();
    const [first] = (await client.application.commands.set([{ name: 'ping', description: 'Pong' }])).values();
    const [again] = (await client.application.commands.set([{ name: 'ping', description: 'Pong!' }])).values();
    expect(again?.id).toBe(first?.id);
    const put = (commands: object[], home = '') =>
      errorCode(client.rest.put(`/applications/${client.application.id}${home}/commands`, { body: commands }));
    const command = (more: object) => [{ name: 'x', description: 'x', ...more }];
    expect(await put(command({}), `/guilds/${guild.id}`)).toBe('done');
    expect(await put(command({ name: 'Upper' }))).toBe(50035);
    expect(await put(command({ description: 'x'.repeat(101) }))).toBe(50035);
    expect(await put([...command({}), ...command({})])).toBe(50035);
    const option = (name: string, required: boolean) => ({ type: 3, name, description: 'x', required });
    expect(await put(command({ options: [option('a', false), option('b', true)] }))).toBe(50035);
    expect(await put(command({ options: [option('b', true), option('a', false)] }))).toBe('done');
  });
});

describe("the bot's identity", () => {
  it('is returned for the application, users, guilds and members', async () => {
    const { discord, client, guild, ada } = await openGuild();
    expect((await client.application.fetch()).id).toBe(discord.applicationId);
    expect((await client.users.fetch(ada.id)).username).toBe('ada');
    expect((await client.guilds.fetch()).has(guild.id)).toBe(true);
    const fetched = await client.guilds.fetch(guild.id);
    expect((await fetched.members.fetchMe()).id).toBe(discord.botUser.id);
    expect((await fetched.members.fetch(ada.id)).user.username).toBe('ada');
    expect((await fetched.channels.fetch()).size).toBe(1);
    expect(discord.unknownRequests()).toEqual([]);
  });
});

import { ChannelType, type Message, MessageFlags, MessageReferenceType, MessageType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { errorCode, nextEvent, openGuild } from './harness.js';

describe('actions of users', () => {
  it('reach the bot with a mention, and its reply is observed', async () => {
    const { discord, channel, ada, client } = await openGuild();
    client.on('messageCreate', (message) => {
      if (!message.author.bot) void message.reply(`You say: ${message.cleanContent}`);
    });
    const question = discord.say(ada, channel, `${discord.mention(discord.botUser)} hello`);
    const answer = await discord.replyTo(question);
    expect(answer.content).toBe('You say: @Keepsake hello');
    expect(discord.messagesIn(channel).map(({ id }) => id)).toEqual([question.id, answer.id]);
    expect(discord.postsIn(channel)).toHaveLength(1);
    expect(discord.pings()).toEqual([]);
    expect(discord.unknownRequests()).toEqual([]);
  });

  it('reach a client with the channel partial by direct message', async () => {
    const { discord, ada, client } = await openGuild();
    const dm = discord.openDm(ada);
    const received = nextEvent<Message>(client, 'messageCreate');
    discord.say(ada, dm, 'psst');
    const message = await received;
    expect(message.content).toBe('psst');
    expect(message.channel.type).toBe(ChannelType.DM);
    await message.reply({ content: 'yes?', flags: MessageFlags.SuppressEmbeds });
    expect((await discord.botMessage(dm)).flags).toBe(MessageFlags.SuppressEmbeds);
  });

  it('include replies, forwards, files, stickers, polls, webhooks and system messages', async () => {
    const { discord, channel, ada, client } = await openGuild();
    const say = (...args: Parameters<typeof discord.say> extends [unknown, unknown, ...infer R] ? R : never) => {
      const received = nextEvent<Message>(client, 'messageCreate');
      discord.say(ada, channel, ...args);
      return received;
    };
    const first = await say('first');
    const reply = await say('second', { replyTo: first });
    expect(reply.type).toBe(MessageType.Reply);
    expect(reply.mentions.repliedUser?.id).toBe(ada.id);
    const forward = await say('', { forward: first });
    expect(forward.reference?.type).toBe(MessageReferenceType.Forward);
    expect(forward.messageSnapshots.first()?.content).toBe('first');
    const file = await say('', { attachments: [{ name: 'note.txt', bytes: Buffer.from('note') }] });
    const url = file.attachments.first()?.url ?? '';
    expect(await (await fetch(url)).text()).toBe('note');
    expect((await say('', { stickers: [{ name: 'wave' }] })).stickers.first()?.name).toBe('wave');
    expect((await say('', { poll: { question: 'tea?', answers: ['yes', 'no'] } })).poll?.answers.size).toBe(2);
    expect((await say('beep', { webhookId: '123456789012345678' })).webhookId).toBe('123456789012345678');
    expect((await say('', { type: MessageType.UserJoin })).system).toBe(true);
  });

  it('include edits and reactions', async () => {
    const { discord, channel, ada, client } = await openGuild();
    const question = discord.say(ada, channel, 'teh');
    const edited = new Promise<Message>((resolve) => client.once('messageUpdate', (_, now) => resolve(now)));
    discord.edit(question, 'the');
    expect(await edited).toMatchObject({ content: 'the', editedTimestamp: expect.any(Number) });
    const reacted = nextEvent<{ emoji: { name: string } }>(client, 'messageReactionAdd');
    discord.react(ada, question, '❌');
    expect((await reacted).emoji.name).toBe('❌');
  });

  it('throw where the user may not post', async () => {
    const { discord, channel, ada, guild } = await openGuild();
    discord.setOverwrite(channel, { for: ada, deny: ['SendMessages'] });
    expect(() => discord.say(ada, channel, 'x')).toThrow('ada may not speak in #general');
    const bob = discord.addUser({ name: 'bob' });
    discord.say(bob, channel, 'x');
    expect(guild.members.has(bob.id)).toBe(true);
    expect(() => discord.say(bob, discord.openDm(ada), 'x')).toThrow('not in that direct message');
  });

  it("include new guilds, channels and threads, and the bot's removal", async () => {
    const { discord, ada, client } = await openGuild();
    const joined = nextEvent<{ name: string }>(client, 'guildCreate');
    const second = discord.addGuild({ name: 'Second' });
    expect((await joined).name).toBe('Second');
    const made = nextEvent<{ name: string }>(client, 'channelCreate');
    const news = discord.addChannel(second, { name: 'news' });
    expect((await made).name).toBe('news');
    const threaded = nextEvent<{ id: string }>(client, 'threadCreate');
    const thread = discord.addThread(news, { name: 'story', owner: ada });
    expect((await threaded).id).toBe(thread.id);
    discord.removeGuild(second);
    expect(await errorCode(client.channels.fetch(news.id, { force: true }))).toBe(50001);
  });
});

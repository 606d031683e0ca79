import { ChannelType, type Message, MessageFlags, MessageReferenceType, MessageType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { next } from './harness.js';
import { codeOf, openWorkshop } from './workshop.js';

describe('talk', () => {
  it('carries a mention in and the reply out', async () => {
    const { discord, channel, ada, client } = await openWorkshop();
    client.on('messageCreate', (message) => {
      if (!message.author.bot) void message.reply(`You said: ${message.cleanContent}`);
    });
    const question = discord.say(ada, channel, `${discord.mention(discord.botUser)} hello`);
    const answer = await discord.replyTo(question);
    expect(answer.content).toBe('You said: @Keepsake hello');
    expect(discord.messagesIn(channel).map(({ id }) => id)).toEqual([question.id, answer.id]);
    expect(discord.postsIn(channel)).toHaveLength(1);
    expect(discord.pings()).toEqual([]);
    expect(discord.unknownRequests()).toEqual([]);
  });

  it('delivers a direct message to a client with the channel partial', async () => {
    const { discord, ada, client } = await openWorkshop();
    const dm = discord.openDm(ada);
    const heard = next<Message>(client, 'messageCreate');
    discord.say(ada, dm, 'psst');
    const message = await heard;
    expect(message.content).toBe('psst');
    expect(message.channel.type).toBe(ChannelType.DM);
    await message.reply({ content: 'yes?', flags: MessageFlags.SuppressEmbeds });
    expect((await discord.botMessage(dm)).flags).toBe(MessageFlags.SuppressEmbeds);
  });

  it('carries replies, forwards, files, stickers, polls, webhooks and system messages', async () => {
    const { discord, channel, ada, client } = await openWorkshop();
    const said = (...args: Parameters<typeof discord.say> extends [unknown, unknown, ...infer R] ? R : never) => {
      const heard = next<Message>(client, 'messageCreate');
      discord.say(ada, channel, ...args);
      return heard;
    };
    const first = await said('first');
    const reply = await said('second', { replyTo: first });
    expect(reply.type).toBe(MessageType.Reply);
    expect(reply.mentions.repliedUser?.id).toBe(ada.id);
    const forward = await said('', { forward: first });
    expect(forward.reference?.type).toBe(MessageReferenceType.Forward);
    expect(forward.messageSnapshots.first()?.content).toBe('first');
    const file = await said('', { attachments: [{ name: 'note.txt', bytes: Buffer.from('note') }] });
    const url = file.attachments.first()?.url ?? '';
    expect(await (await fetch(url)).text()).toBe('note');
    expect((await said('', { stickers: [{ name: 'wave' }] })).stickers.first()?.name).toBe('wave');
    expect((await said('', { poll: { question: 'tea?', answers: ['yes', 'no'] } })).poll?.answers.size).toBe(2);
    expect((await said('beep', { webhookId: '123456789012345678' })).webhookId).toBe('123456789012345678');
    expect((await said('', { type: MessageType.UserJoin })).system).toBe(true);
  });

  it('notices edits, reactions and typing of people', async () => {
    const { discord, channel, ada, client } = await openWorkshop();
    const question = discord.say(ada, channel, 'teh');
    const edited = new Promise<Message>((resolve) => client.once('messageUpdate', (_, now) => resolve(now)));
    discord.edit(question, 'the');
    expect(await edited).toMatchObject({ content: 'the', editedTimestamp: expect.any(Number) });
    const reacted = next<{ emoji: { name: string } }>(client, 'messageReactionAdd');
    discord.react(ada, question, '❌');
    expect((await reacted).emoji.name).toBe('❌');
  });

  it('lets nobody speak where they may not', async () => {
    const { discord, channel, ada, guild } = await openWorkshop();
    discord.setOverwrite(channel, { for: ada, deny: ['SendMessages'] });
    expect(() => discord.say(ada, channel, 'x')).toThrow('ada may not speak in #general');
    const bob = discord.addUser({ name: 'bob' });
    discord.say(bob, channel, 'x');
    expect(guild.members.has(bob.id)).toBe(true);
    expect(() => discord.say(bob, discord.openDm(ada), 'x')).toThrow('not in that direct message');
  });

  it('follows guilds, channels and roles that come while the bot is there', async () => {
    const { discord, ada, client } = await openWorkshop();
    const joined = next<{ name: string }>(client, 'guildCreate');
    const second = discord.addGuild({ name: 'Second' });
    expect((await joined).name).toBe('Second');
    const made = next<{ name: string }>(client, 'channelCreate');
    const news = discord.addChannel(second, { name: 'news' });
    expect((await made).name).toBe('news');
    const threaded = next<{ id: string }>(client, 'threadCreate');
    const thread = discord.addThread(news, { name: 'story', owner: ada });
    expect((await threaded).id).toBe(thread.id);
    discord.removeGuild(second);
    expect(await codeOf(client.channels.fetch(news.id, { force: true }))).toBe(50001);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkPromises } from '../support/check-promises.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';
import { answerByMarks, atRest } from './loop.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld({ discord: { heartbeatMs: 400 } });
  answerByMarks(world);
});
afterEach(() => world.close());

const MINUTE = 60_000;

/** What is stored of a channel, by text. */
async function storedIn(channel: { id: string }): Promise<string[]> {
  await atRest(world);
  const { messages } = await world.running().store.loadHistory(`discord:${channel.id}`, { summary: true });
  return messages.filter(({ role }) => role === 'user').map(({ text }) => text);
}

/** Ends the bot, and names every promise that was broken. */
async function broken(...channels: { id: string }[]): Promise<string[]> {
  await atRest(world);
  await world.stop();
  return checkPromises({ ...world, channels: [world.channel, ...channels], log: JSON.stringify(world.log) });
}

describe('the gateway', () => {
  it('repeats an event at once and later: one row, one answer', async () => {
    const { discord, channel } = world;
    await world.start();
    discord.gateway.repeatNext('MESSAGE_CREATE', 3);
    await world.ask('please k1n1q');
    await world.ask('please k1n2q');
    discord.gateway.resend('MESSAGE_CREATE');
    const last = discord
      .messagesIn(channel)
      .filter(({ author }) => author.id === world.ada.id)
      .at(-1);
    discord.gateway.send('MESSAGE_CREATE', { ...last, guild_id: world.guild.id });
    await world.ask('please k1n3q');
    expect(await storedIn(channel)).toHaveLength(3);
    expect(discord.botMessagesIn(channel)).toHaveLength(3);
    expect(await broken()).toEqual([]);
  });

  it('tells of a delete before it tells of the message: nothing is stored', async () => {
    const { discord, channel, guild } = world;
    await world.start();
    await world.ask('please k1n1q');
    const late = discord.say(world.ada, channel, `${discord.mention(discord.botUser)} k1n2q`, { unseen: true });
    discord.gateway.send('MESSAGE_DELETE', { id: late.id, channel_id: channel.id, guild_id: guild.id });
    discord.gateway.send('MESSAGE_CREATE', { ...late, guild_id: guild.id });
    await world.ask('please k1n3q');
    expect(await storedIn(channel)).toEqual(['please k1n1q', 'please k1n3q']);
  });

  it('ends the session while 150 messages are said: all are stored once, none old answered', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    await world.ask('please k1n1q');
    await world.running().chatbot.set(`server:${world.guild.id}`, 'listen', 'all');
    const session = { id: `discord:${channel.id}`, serverId: world.guild.id, parentId: null };
    const before = discord.say(ada, channel, 'the last before', { unseen: true, at: Date.now() - 30 * MINUTE });
    await world.running().store.append({
      sessionId: session.id,
      platformId: before.id,
      role: 'user',
      authorId: ada.id,
      authorName: 'Ada',
      text: 'the last before',
      quote: null,
      createdAt: Date.now() - 30 * MINUTE,
      state: 'heard',
    });
    await discord.gateway.refuse();
    const at = (i: number) => ({ unseen: true, at: Date.now() - 29 * MINUTE + i * 1_000 });
    for (let i = 0; i < 148; i += 1) discord.say(ada, channel, `said k1n${100 + i}q`, at(i));
    const stale = world.mention(ada, channel, 'long ago k1n300q', at(149));
    const fresh = world.mention(ada, channel, 'just now k1n301q', { unseen: true });
    discord.gateway.forgetSessions();
    // What is said live while the past is read must not pass for its end.
    const page = discord.faults.add({ method: 'GET', path: /\/messages$/ }, { kind: 'hold', when: 'before' });
    await discord.gateway.accept();
    await discord.journal.waitUntil(() => discord.faults.hits(page) > 0);
    await world.ask('live k1n302q');
    discord.faults.release(page);
    await discord.replyTo(fresh);
    await discord.journal.waitUntil(() =>
      discord.messagesIn(channel).some(({ id, reactions = [] }) => id === stale.id && reactions.length > 0),
    );
    await atRest(world);
    const said = Array.from({ length: 148 }, (_, i) => `said k1n${100 + i}q`);
    const others = ['please k1n1q', 'the last before', 'long ago k1n300q', 'just now k1n301q', 'live k1n302q'];
    expect((await storedIn(channel)).sort()).toEqual([...said, ...others].sort());
    const replies = discord.botMessagesIn(channel).filter(({ message_reference }) => message_reference !== undefined);
    expect(replies).toHaveLength(3);
  });

  it('is silent about deletions and edits while the bot is off: the next start follows them', async () => {
    const { discord, channel } = world;
    const other = discord.addChannel(world.guild);
    await world.start();
    await world.ask('please k1n1q');
    await world.ask('please k1n2q');
    await world.ask('please k2n1q', other);
    const [first, , second] = discord.messagesIn(channel);
    await world.stop();
    for (const message of discord.messagesIn(other)) discord.deleteMessage(message);
    discord.deleteMessage(first as { id: string });
    discord.edit(second as { id: string }, `${discord.mention(discord.botUser)} rather k1n3q`);
    await world.start();
    const read = (channel: { id: string }) =>
      discord.journal.waitForRest({ method: 'GET', path: `/channels/${channel.id}/messages` });
    await Promise.all([read(channel), read(other)]);
    await world.ask('please k1n8q');
    await world.ask('please k2n8q', other);
    const requests = world.openai.chats().length;
    await world.ask('please k1n4q');
    await world.ask('please k2n2q', other);
    expect(await storedIn(channel)).toEqual(['rather k1n3q', 'please k1n8q', 'please k1n4q']);
    expect(await storedIn(other)).toEqual(['please k2n8q', 'please k2n2q']);
    await world.stop();
    const takenBack = ['k1n1q', 'k1n1r', 'k1n2q', 'k2n1q', 'k2n1r'].map((word) => ({ word, requests }));
    expect(checkPromises({ ...world, channels: [channel, other], takenBack, log: '' })).toEqual([]);
  });

  it('tells of a delete while the past is read: it stays away', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    await world.ask('please k1n1q');
    await world.stop();
    const gone = world.mention(ada, channel, 'please k1n2q');
    const page = discord.faults.add({ method: 'GET', path: /\/messages$/ }, { kind: 'hold', when: 'after' });
    await world.start();
    await discord.journal.waitUntil(() => discord.faults.hits(page) > 0);
    discord.deleteMessage(gone);
    await world.ask('please k1n3q');
    discord.faults.release(page);
    await world.ask('please k1n4q');
    expect(await storedIn(channel)).toEqual(['please k1n1q', 'please k1n3q', 'please k1n4q']);
    expect(await broken()).toEqual([]);
  });

  it('tells of an edit while the past is read: what is remembered is the edited text', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    await world.ask('please k1n1q');
    await world.stop();
    const changed = world.mention(ada, channel, 'please k1n2q');
    const page = discord.faults.add({ method: 'GET', path: /\/messages$/ }, { kind: 'hold', when: 'after' });
    await world.start();
    await discord.journal.waitUntil(() => discord.faults.hits(page) > 0);
    discord.edit(changed, `${discord.mention(discord.botUser)} rather k1n3q`);
    await world.ask('please k1n4q');
    discord.faults.release(page);
    await discord.replyTo(changed);
    await atRest(world);
    expect((await storedIn(channel)).sort()).toEqual(['please k1n1q', 'please k1n4q', 'rather k1n3q']);
    expect(await broken()).toEqual([]);
  });

  it('stops to acknowledge heartbeats: the session is resumed, and all is answered once', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    await world.ask('please k1n1q');
    discord.gateway.silence(true);
    const question = world.mention(ada, channel, 'please k1n2q');
    await discord.journal.waitFor({ kind: 'connection', event: 'close' });
    discord.gateway.silence(false);
    await discord.replyTo(question);
    expect(discord.journal.gateway({ direction: 'in', op: 6 })).not.toEqual([]);
    expect(await broken()).toEqual([]);
  });

  it('brings the servers late: what was said before is answered', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    await world.ask('please k1n1q');
    await world.stop();
    discord.gateway.holdGuilds();
    const since = discord.journal.mark();
    const started = world.start();
    await discord.journal.waitFor({ kind: 'gateway', direction: 'out', t: 'READY' }, { since });
    const question = world.mention(ada, channel, 'please k1n2q');
    discord.gateway.releaseGuilds();
    await started;
    await discord.replyTo(question);
    expect(await broken()).toEqual([]);
  });

  it('closes for good: the bot says so in one line and comes not back', async () => {
    await world.start();
    const mark = world.discord.journal.mark();
    world.discord.gateway.close(4013);
    expect(await world.running().bot.ended).toMatchObject({
      code: 'config',
      message: expect.stringContaining('intents'),
    });
    await world.stop(0);
    expect(world.discord.journal.entries({ kind: 'connection', event: 'open', since: mark })).toEqual([]);
  });

  it('hides a server for a while: what was said there meanwhile is answered once it is back', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    await world.ask('please k1n1q');
    discord.guildUnavailable(world.guild);
    const question = world.mention(ada, channel, 'please k1n2q', { unseen: true });
    discord.guildBack(world.guild);
    await discord.replyTo(question);
    expect(await storedIn(channel)).toEqual(['please k1n1q', 'please k1n2q']);
    expect(await broken()).toEqual([]);
  });
});

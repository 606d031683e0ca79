import { Events, GatewayIntentBits, type Message, Options, type TextChannel } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { createClient, nextEvent, openDiscord, readyClient } from './harness.js';

async function openFixture(options: Parameters<typeof openDiscord>[0] = {}) {
  const discord = await openDiscord(options);
  const guild = discord.addGuild({ name: 'Workshop' });
  const channel = discord.addChannel(guild);
  const ada = discord.addUser({ name: 'ada' });
  return { discord, guild, channel, ada };
}

describe('the gateway', () => {
  it('sends a client its application and guilds', async () => {
    const { discord, guild, channel } = await openFixture();
    const client = await readyClient(discord);
    expect(client.application.id).toBe(discord.applicationId);
    expect(client.guilds.cache.get(guild.id)?.available).toBe(true);
    expect(client.guilds.cache.get(guild.id)?.members.me?.id).toBe(discord.botUser.id);
    expect(client.channels.cache.has(channel.id)).toBe(true);
  });

  it('closes with 4014 when an intent is not granted', async () => {
    const { discord } = await openFixture({ intentsGranted: [] });
    const client = createClient(discord);
    await expect(client.login(discord.token)).rejects.toThrow('disallowed intents');
    await discord.journal.waitFor({ event: 'close', code: 4014 });
  });

  it('rejects a wrong token over REST, and can close with 4004 later', async () => {
    const { discord } = await openFixture();
    await expect(createClient(discord).login('another')).rejects.toThrow('invalid token');
    const client = await readyClient(discord);
    const gone = nextEvent<{ code: number }>(client, Events.ShardDisconnect);
    discord.gateway.close(4004, 'Authentication failed.');
    expect((await gone).code).toBe(4004);
    expect(discord.gateway.connected()).toBe(0);
  });

  it('has a session start limit', async () => {
    const { discord } = await openFixture();
    discord.setSessionStartLimit({ remaining: 0 });
    await expect(createClient(discord).login(discord.token)).rejects.toThrow('Not enough sessions');
  });

  it('replays missed events on RESUME', async () => {
    const { discord, channel, ada } = await openFixture();
    const client = await readyClient(discord);
    await discord.gateway.refuse();
    const received = nextEvent<Message>(client, 'messageCreate');
    discord.say(ada, channel, 'while you were away');
    await discord.gateway.accept();
    expect((await received).content).toBe('while you were away');
    expect(discord.journal.gateway({ direction: 'in', op: 2 })).toHaveLength(1);
    await discord.journal.waitFor({ t: 'RESUMED' });
  });

  it('makes a client resume with op 7', async () => {
    const { discord } = await openFixture();
    await readyClient(discord);
    discord.gateway.askReconnect();
    await discord.journal.waitFor({ t: 'RESUMED' });
    expect(discord.gateway.connected()).toBe(1);
  });

  it('answers RESUME of an unknown session with op 9, without missed events', async () => {
    const { discord, channel, ada } = await openFixture();
    const client = await readyClient(discord);
    const received: string[] = [];
    client.on('messageCreate', ({ content }) => received.push(content));
    const mark = discord.journal.mark();
    discord.gateway.forgetSessions();
    discord.gateway.terminate();
    const missed = discord.say(ada, channel, 'missed');
    await discord.journal.waitFor({ op: 2 }, { since: mark });
    await discord.ready();
    const second = nextEvent<Message>(client, 'messageCreate');
    discord.say(ada, channel, 'received');
    await second;
    expect(received).toEqual(['received']);
    const stored = await client.channels.fetch(channel.id);
    const page = stored?.isTextBased() ? await stored.messages.fetch({ limit: 10 }) : undefined;
    expect(page?.has(missed.id)).toBe(true);
  });

  it('can leave heartbeats unacknowledged, and the client reconnects', async () => {
    const { discord } = await openFixture({ heartbeatMs: 150 });
    await readyClient(discord);
    discord.gateway.acknowledge(false);
    await discord.journal.waitFor({ event: 'close' });
    discord.gateway.acknowledge(true);
    await discord.journal.waitFor({ t: 'RESUMED' });
  });

  it('can send a frame twice, which a client without a cache receives twice', async () => {
    const { discord, channel, ada } = await openFixture();
    const makeCache = Options.cacheWithLimits({ MessageManager: 0 });
    const client = await readyClient(discord, { makeCache });
    const received: string[] = [];
    client.on('messageCreate', ({ content }) => received.push(content));
    discord.gateway.repeatNext('MESSAGE_CREATE', 2);
    discord.say(ada, channel, 'echo');
    discord.say(ada, channel, 'end');
    await new Promise<void>((resolve) => client.on('messageCreate', ({ content }) => content === 'end' && resolve()));
    expect(received).toEqual(['echo', 'echo', 'end']);
  });

  it('can send an event again with a new sequence number', async () => {
    const { discord, channel, ada } = await openFixture();
    await readyClient(discord);
    const posted = discord.say(ada, channel, 'echo');
    discord.gateway.resend('MESSAGE_CREATE');
    const sent = discord.journal.gateway({ t: 'MESSAGE_CREATE' });
    expect(sent.map(({ d }) => (d as { id: string }).id)).toEqual([posted.id, posted.id]);
    expect(sent[1]?.s).toBe((sent[0]?.s ?? 0) + 1);
  });

  it('can hold guilds back, and the client is not ready before', async () => {
    const { discord } = await openFixture();
    discord.gateway.holdGuilds();
    const client = createClient(discord);
    const ready = nextEvent(client, Events.ClientReady);
    await client.login(discord.token);
    await discord.journal.waitFor({ t: 'READY' });
    expect(client.isReady()).toBe(false);
    discord.gateway.releaseGuilds();
    await ready;
    expect(client.isReady()).toBe(true);
  });

  it('hides content from a client without the intent, unless it is mentioned', async () => {
    const { discord, channel, ada } = await openFixture({ intentsGranted: [] });
    const client = await readyClient(discord, { intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages] });
    const received: string[] = [];
    client.on('messageCreate', ({ content }) => received.push(content));
    const mention = `${discord.mention(discord.botUser)} you`;
    discord.say(ada, channel, 'not you');
    discord.say(ada, channel, mention);
    await new Promise<void>((resolve) => client.on('messageCreate', ({ content }) => content !== '' && resolve()));
    expect(received).toEqual(['', mention]);
    const stored = (await client.channels.fetch(channel.id)) as TextChannel;
    expect((await stored.messages.fetch({ cache: false, limit: 2 })).map(({ content }) => content)).toEqual([
      mention,
      '',
    ]);
  });
});

describe('deletions', () => {
  it('are sent whether or not the client has cached the entity', async () => {
    const { discord, guild, channel, ada } = await openFixture();
    const [first, second, third] = ['1', '2', '3'].map((text) => discord.say(ada, channel, text));
    const thread = discord.addThread(channel, { name: 'aside', owner: ada });
    const client = await readyClient(discord);
    const deletions: string[] = [];
    const all = new Promise<void>((resolve) => {
      client.on('raw', ({ t, d }: { t: string; d: { unavailable?: boolean } }) => {
        if (t?.includes('DELETE')) deletions.push(d.unavailable ? `${t} (unavailable)` : t);
        if (deletions.length === 6) resolve();
      });
    });
    discord.deleteMessage(first!);
    discord.bulkDelete([second!, third!]);
    discord.deleteThread(thread);
    discord.deleteChannel(channel);
    discord.guildUnavailable(guild);
    discord.guildBack(guild);
    discord.removeGuild(guild);
    await all;
    expect(deletions).toEqual([
      'MESSAGE_DELETE',
      'MESSAGE_DELETE_BULK',
      'THREAD_DELETE',
      'CHANNEL_DELETE',
      'GUILD_DELETE (unavailable)',
      'GUILD_DELETE',
    ]);
  });

  it('do not include link previews: these are updates without an edited timestamp', async () => {
    const { discord, channel, ada } = await openFixture();
    const client = await readyClient(discord);
    const question = discord.say(ada, channel, 'see https://example.org/');
    const updated = nextEvent<Message>(client, 'raw');
    discord.unfurl(question);
    const { d } = (await updated) as unknown as { d: { edited_timestamp: string | null; content: string } };
    expect(d).toMatchObject({ content: 'see https://example.org/', edited_timestamp: null });
  });
});

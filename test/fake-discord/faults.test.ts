import { type DiscordAPIError, RateLimitError, type TextChannel } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { openDiscord, readyClient } from './harness.js';

async function openFixture(rest: object = {}) {
  const discord = await openDiscord();
  const channel = discord.addChannel(discord.addGuild());
  const client = await readyClient(discord, { rest });
  const text = client.channels.cache.get(channel.id) as TextChannel;
  const posts = { method: 'POST', path: `/channels/${channel.id}/messages` };
  const statuses = () => discord.postsIn(channel).map(({ status, outcome }) => status ?? outcome);
  return { discord, channel, client, text, posts, statuses };
}

describe('faults of the REST API', () => {
  it('respond with a status for a number of requests', async () => {
    const { discord, text, posts, statuses } = await openFixture();
    const fault = discord.faults.add({ ...posts, times: 2 }, { kind: 'status', status: 500 });
    await text.send('at last');
    expect(statuses()).toEqual([500, 500, 200]);
    expect(discord.faults.hits(fault)).toBe(2);
  });

  it('skip the first requests, and end when they are removed', async () => {
    const { discord, text, posts } = await openFixture();
    const body = { code: 200000, message: 'Message was blocked by automatic moderation' };
    const target = { ...posts, skip: 1, times: Number.POSITIVE_INFINITY };
    const fault = discord.faults.add(target, { kind: 'status', status: 400, body });
    await text.send('one');
    const rejection = (content: string) => text.send(content).catch((error: DiscordAPIError) => error.code);
    expect([await rejection('two'), await rejection('three')]).toEqual([200000, 200000]);
    discord.faults.remove(fault);
    await text.send('four');
    expect(discord.faults.hits(fault)).toBe(2);
  });

  it("send Discord's 429 with a scope and retry time", async () => {
    const { discord, text, posts, statuses } = await openFixture();
    discord.faults.add(posts, { kind: 'rate-limited', scope: 'shared', retryAfter: 0.1 });
    await text.send('later');
    expect(statuses()).toEqual([429, 200]);
    expect(discord.invalidRequests()).toEqual([]);
    discord.faults.add(posts, { kind: 'rate-limited', scope: 'user', retryAfter: 0.1 });
    await text.send('later still');
    expect(discord.invalidRequests()).toHaveLength(1);
  });

  it("send Cloudflare's 429 in HTML", async () => {
    const { discord, text, posts, statuses } = await openFixture({ rejectOnRateLimit: () => true });
    discord.faults.add(posts, { kind: 'cloudflare', retryAfter: 1 });
    await expect(text.send('x')).rejects.toBeInstanceOf(RateLimitError);
    expect(statuses()).toEqual([429]);
  });

  it('lose the response to a processed post, which a nonce makes idempotent', async () => {
    const { discord, channel, text, posts, statuses } = await openFixture();
    discord.faults.add(posts, { kind: 'lose-answer', how: 'reset' });
    const send = () => text.send({ content: 'once', nonce: '7', enforceNonce: true });
    await send().catch(() => send());
    expect(statuses().at(-1)).toBe(200);
    expect(discord.postsIn(channel)[0]?.outcome).toBe('lost');
    expect(discord.botMessagesIn(channel)).toHaveLength(1);
  });

  it('never respond, until the client times out and retries', async () => {
    const { discord, channel, text, posts } = await openFixture({ timeout: 200 });
    discord.faults.add(posts, { kind: 'drop', how: 'hang' });
    await text.send('sent twice');
    expect(discord.postsIn(channel).map(({ outcome }) => outcome)).toEqual(['dropped', 'answered']);
    expect(discord.botMessagesIn(channel)).toHaveLength(1);
  });

  it('hold a response until it is released', async () => {
    const { discord, channel, text, posts } = await openFixture();
    const hold = discord.faults.add(posts, { kind: 'hold', when: 'after' });
    let arrived = false;
    const sent = text.send('held').then(() => {
      arrived = true;
    });
    await discord.botMessage(channel);
    expect(arrived).toBe(false);
    discord.faults.release(hold);
    await sent;
    expect(arrived).toBe(true);
  });

  it('close the port and open it again', async () => {
    const { discord, text } = await openFixture();
    await discord.rest.refuse();
    await text.send('on a connection that was cut').catch(() => {});
    await expect(text.send('x')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await discord.rest.accept();
    expect((await text.send('x')).content).toBe('x');
  });
});

describe('rate limits', () => {
  it('limit the messages of a channel in 5 s, with headers that the client obeys', async () => {
    const { discord, text, statuses } = await openFixture({ rejectOnRateLimit: () => true });
    discord.rateLimits.use({ messages: 2 });
    const sent = await text.send('1');
    await text.send('2');
    await expect(text.send('3')).rejects.toBeInstanceOf(RateLimitError);
    expect(statuses()).toEqual([200, 200]);
    await expect(sent.edit('1!')).rejects.toBeInstanceOf(RateLimitError);
    expect(discord.editsOf(sent).map(({ status }) => status)).toEqual([429]);
    const url = `${discord.api}/v10/channels/${sent.channelId}/messages/${sent.id}`;
    const headers = { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' };
    const edit = async () => (await fetch(url, { method: 'PATCH', headers, body: '{"content":"1!"}' })).status;
    expect(await edit()).toBe(429);
    discord.clock.advance(5_000);
    expect(await edit()).toBe(200);
  });

  it('limit all requests of the bot but those of interactions', async () => {
    const { discord, client } = await openFixture();
    discord.rateLimits.use({ global: 1 });
    const headers = { authorization: `Bot ${discord.token}` };
    const ask = (path: string) => fetch(`${discord.api}/v10${path}`, { headers });
    await ask('/users/@me');
    const limited = await ask('/users/@me');
    expect(limited.status).toBe(429);
    expect(limited.headers.get('x-ratelimit-scope')).toBe('global');
    expect((await ask(`/webhooks/${client.application.id}/token/messages/@original`)).status).toBe(404);
  });
});

describe('the journal', () => {
  it('dumps its newest entries when a wait times out', async () => {
    const { discord, text } = await openFixture();
    await text.send('the last message');
    const waiting = discord.journal.waitFor({ method: 'PUT', path: /commands/ }, { timeoutMs: 20 });
    await expect(waiting).rejects.toThrow(/not seen within 20 ms: method=PUT[\s\S]*POST .*the last message.*200/);
  });
});

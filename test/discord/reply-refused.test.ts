import { describe, expect, it, vi } from 'vitest';
import { DeliveryError } from '../../src/discord/shared/delivery-error.js';
import { discordReply, INTERVAL, replyWorkshop } from './reply-workshop.js';

describe('a reply that Discord refuses', () => {
  it.each(['no-permission', 'no-access', 'no-channel', 'locked', 'archived', 'blocked'] as const)(
    'rejects with %s at once, without a second try, and stops reading',
    async (code) => {
      const { channel, source, deliver, feed, kinds } = replyWorkshop();
      channel.refuse = () => new DeliveryError(code);
      const ended = deliver();
      await feed('one', 60_000);
      expect(await ended).toMatchObject({ code });
      expect(kinds()).toEqual(['post']);
      expect(source.returned()).toBe(true);
    },
  );

  it('is sent without the reference where the bot may not read the history', async () => {
    const { channel, deliver, feed, end, contents } = replyWorkshop();
    const refersTo = () => channel.requests.at(-1)?.posting?.replyTo ?? null;
    channel.refuse = () => (refersTo() === null ? null : new DeliveryError('no-history'));
    const ended = deliver();
    await feed('one', 100);
    await end();
    expect(await ended).toBeNull();
    expect(contents()).toEqual(['one']);
  });
});

describe('a reply that Discord does not answer', () => {
  it('is tried again three times with the same nonce and the newest text', async () => {
    const { channel, deliver, feed, end, shown } = replyWorkshop();
    channel.refuse = () => (channel.requests.length < 4 ? new DeliveryError('unreachable') : null);
    const ended = deliver();
    await feed('one', 100);
    await feed(' two', 100);
    await end();
    expect(await ended).toBeNull();
    expect(channel.requests.map(({ id }) => id)).toEqual(['t1.0', 't1.0', 't1.0', 't1.0']);
    expect(shown()).toEqual([{ content: 'one two', stoppable: false, file: null }]);
  });

  it('gives up after that', async () => {
    const { channel, deliver, feed, kinds } = replyWorkshop();
    channel.refuse = () => new DeliveryError('unreachable');
    const ended = deliver();
    await feed('one', 60_000);
    expect(await ended).toMatchObject({ code: 'unreachable' });
    expect(kinds()).toHaveLength(4);
  });

  it('waits anew for each request', async () => {
    const { channel, deliver, feed, end, contents } = replyWorkshop();
    channel.refuse = () => (channel.requests.length % 3 === 0 ? null : new DeliveryError('unreachable'));
    const ended = deliver();
    for (let i = 0; i < 5; i += 1) await feed(`word${i} `, 20_000);
    await end();
    expect(await ended).toBeNull();
    expect(contents()).toEqual(['word0 word1 word2 word3 word4']);
  });
});

describe('a reply whose port fails', () => {
  it('does not leave the button behind', async () => {
    const full = new Error('disk full');
    const confirm = vi.fn(() => Promise.reject(full));
    const { deliver, feed, shown } = replyWorkshop({ confirm });
    const ended = deliver();
    await feed('one', 10 * INTERVAL);
    expect(await ended).toBe(full);
    expect(shown()).toEqual([{ content: 'one', stoppable: false, file: null }]);
  });
});

describe('what Discord refuses', () => {
  it.each([
    ['no-permission', ['SendMessages']],
    ['no-access', ['ViewChannel']],
  ] as const)('is told as %s', async (code, deny) => {
    const { discord, channel, source, deliver } = await discordReply();
    discord.setOverwrite(channel, { for: discord.botUser, deny });
    source.push('one');
    source.end();
    expect(await deliver()).toMatchObject({ code });
    expect(discord.postsIn(channel)).toHaveLength(1);
  });

  it('is told as no-channel when the channel was deleted in mid-answer', async () => {
    const { discord, channel, question, source, deliver } = await discordReply();
    const ended = deliver();
    source.push('one');
    await discord.replyTo(question);
    discord.deleteChannel(channel);
    source.push(' two');
    expect(await ended).toMatchObject({ code: 'no-channel' });
  });

  it('is sent without the reference where the history may not be read', async () => {
    const { discord, channel, source, deliver } = await discordReply();
    discord.setOverwrite(channel, { for: discord.botUser, deny: ['ReadMessageHistory'] });
    source.push('one');
    source.end();
    expect(await deliver()).toBeNull();
    expect(discord.botMessagesIn(channel)).toMatchObject([{ content: 'one' }]);
  });

  it('is told as unreachable when nobody listens', async () => {
    const { discord, source, deliver } = await discordReply();
    await discord.rest.refuse();
    source.push('one');
    source.end();
    expect(await deliver()).toMatchObject({ code: 'unreachable' });
  });
});

import type { SendableChannels } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { asDeliveryError } from '../../src/discord/shared/delivery-error.js';
import { openDiscord, readyClient } from '../fake-discord/harness.js';

async function workshop() {
  const discord = await openDiscord();
  const channel = discord.addChannel(discord.addGuild());
  const client = await readyClient(discord, { rest: { timeout: 100, rejectOnRateLimit: () => true } });
  const sendable = client.channels.cache.get(channel.id) as SendableChannels;
  const target = { method: 'POST', path: `/channels/${channel.id}/messages`, times: Number.POSITIVE_INFINITY };
  const sent = () =>
    sendable.send('text').then(
      () => null,
      (error: unknown) => asDeliveryError(error),
    );
  return { discord, target, sent };
}

describe('a request that Discord did not do', () => {
  it.each([
    [404, 10003, 'no-channel'],
    [403, 50001, 'no-access'],
    [403, 50007, 'dm-closed'],
    [403, 50013, 'no-permission'],
    [400, 50083, 'archived'],
    [400, 160005, 'locked'],
    [400, 200000, 'blocked'],
    [400, 50035, 'rejected'],
  ])('with status %i and code %i is told as %s', async (status, code, told) => {
    const { discord, target, sent } = await workshop();
    discord.faults.add(target, { kind: 'status', status, body: { code, message: 'no' } });
    expect(await sent()).toMatchObject({ name: 'DeliveryError', code: told, cause: { code } });
  });

  it.each([
    ['answers 503', { kind: 'status', status: 503 }],
    ['never answers', { kind: 'drop', how: 'hang' }],
    ['cuts the connection', { kind: 'drop', how: 'reset' }],
    ['asks to come later', { kind: 'rate-limited', scope: 'user', retryAfter: 60 }],
  ] as const)('because it %s is told as unreachable', async (_, fault) => {
    const { discord, target, sent } = await workshop();
    discord.faults.add(target, fault);
    expect(await sent()).toMatchObject({ name: 'DeliveryError', code: 'unreachable' });
  });

  it('keeps errors that are not Discord’s as they are', () => {
    const own = new TypeError('a fault of ours');
    expect(asDeliveryError(own)).toBe(own);
    expect(asDeliveryError('text')).toBe('text');
  });
});

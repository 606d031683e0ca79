import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { probeHealth } from '../../src/health/server.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld();
  await world.start();
});
afterEach(() => world.close());

/** What `/healthz` would tell now. */
async function gateway() {
  const probe = { write: async () => {}, lastFold: () => null, model: () => 'closed' };
  const { ok, gateway } = await probeHealth({ ...probe, gateway: world.running().bot.connected }, 1_000);
  return { ok, gateway };
}

describe('a bot whose connection is lost', () => {
  it.each([
    ['resumed', () => {}],
    ['begun anew', () => world.discord.gateway.forgetSessions()],
  ])('is not healthy until it is %s', async (_, meanwhile) => {
    expect(await gateway()).toEqual({ ok: true, gateway: 'connected' });
    await world.discord.gateway.refuse();
    await expect.poll(gateway).toEqual({ ok: false, gateway: 'disconnected' });
    meanwhile();
    await world.discord.gateway.accept();
    await expect.poll(gateway).toEqual({ ok: true, gateway: 'connected' });
  });

  it('is not healthy after a close for good', async () => {
    world.discord.gateway.close(4013);
    await world.running().bot.ended;
    expect(await gateway()).toEqual({ ok: false, gateway: 'disconnected' });
  });
});

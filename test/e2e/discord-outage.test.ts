import { expect, it } from 'vitest';
import { openRunningWorld } from './process-world.js';

it('ends at SIGTERM also when Discord is gone', async () => {
  const world = await openRunningWorld({ LOG_LEVEL: 'info' });
  const bot = world.bot();
  await world.discord.close();
  bot.signal('SIGTERM');
  expect(await bot.ended).toMatchObject({ code: 0, signal: null });
  expect(bot.errors()).toContain('stopping');
  await world.close().catch(() => {});
});

import { expect, it } from 'vitest';
import { openRunningStage } from './stage.js';

it('ends at SIGTERM also when Discord is gone', async () => {
  const stage = await openRunningStage({ LOG_LEVEL: 'info' });
  const bot = stage.bot();
  await stage.discord.close();
  bot.signal('SIGTERM');
  expect(await bot.ended).toEqual({ code: 0, signal: null });
  expect(bot.errors()).toContain('stopping');
  await stage.close().catch(() => {});
});

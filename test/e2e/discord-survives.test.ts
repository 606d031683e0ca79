import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBotProcess } from '../support/bot-process.js';
import { openRunningWorld, type ProcessWorld } from './process-world.js';

let world: ProcessWorld;
beforeAll(async () => {
  world = await openRunningWorld();
});
afterAll(() => world.close());

describe('a running bot', () => {
  it('keeps a second one off its database, which ends at once in one line', async () => {
    const { discord, openai, folder } = world;
    const second = startBotProcess(folder, {
      DISCORD_TOKEN: discord.token,
      DISCORD_API: discord.api,
      OPENAI_BASE_URL: openai.baseUrl,
      DATABASE_URL: 'file:./keepsake.db',
      PROBE_LOCAL: '0',
      LOG_LEVEL: 'silent',
    });
    expect(await second.ended).toMatchObject({ code: 3 });
    expect(second.errors().trim().split('\n')).toHaveLength(1);
  });

  it('lives on when Discord sends what nobody can read', async () => {
    const { discord } = world;
    const [ada, channel] = [world.addMember('Ada'), world.addChannel()];
    discord.gateway.send('MESSAGE_CREATE', { id: '1', channel_id: channel.id, guild_id: world.guild.id });
    discord.gateway.send('MESSAGE_DELETE_BULK', {});
    discord.gateway.send('GUILD_MEMBER_UPDATE', null);
    expect((await world.ask('are you there?', channel, ada)).content).toContain('are you there?');
  });
});

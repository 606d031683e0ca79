import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { botEnvironment } from '../support/options.js';
import { startProgram } from '../support/program.js';
import { openRunningWorld, type ProcessWorld } from './process-world.js';

let world: ProcessWorld;
beforeAll(async () => {
  world = await openRunningWorld();
});
afterAll(() => world.close());

describe('a running bot', () => {
  it('keeps a second one off its database, which ends at once in one line', async () => {
    const env = botEnvironment(world, { LOG_LEVEL: 'silent' });
    const second = startProgram({ bin: 'start', folder: world.folder, env });
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

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../src/words/en.js';
import { type CommandWorld, openCommandWorld } from './command-world.js';

let world: CommandWorld;
beforeAll(async () => {
  world = await openCommandWorld();
});
afterAll(() => world.close());

describe('/budget', () => {
  it('is set by those who manage the server, and shown to all', async () => {
    const room = world.addRoom();
    const [owner, ben] = [world.addPerson(room, 'owner', 'ManageGuild'), world.addPerson(room, 'ben')];
    const set = await world.discord.command(owner, room.channel, 'budget set', { server_tokens: 50_000 }).reply();
    expect(set.content.split('\n')[0]).toBe(en.budget.saved);
    const shown = world.discord.command(ben, room.channel, 'budget show');
    expect((await shown.reply()).content).toContain('0 of 50,000 (0 %)');
    expect(shown.record().ephemeral).toBe(true);
    const refused = world.discord.command(ben, room.channel, 'budget reset');
    expect((await refused.reply()).content).toBe(en.refusals.needsRight('Manage Server'));
    await world.discord.command(owner, room.channel, 'budget reset').reply();
    const { limits } = await world.ctx.chatbot.accounts.budget(room.session, 'x');
    expect(limits).toEqual({ server: null, person: null });
  });

  it('wants to know what to set', async () => {
    const room = world.addRoom();
    const owner = world.addPerson(room, 'owner', 'ManageGuild');
    const given = world.discord.command(owner, room.channel, 'budget set', {});
    expect((await given.reply()).content).toBe(en.budget.nothingSet);
  });
});

describe('/usage', () => {
  it('shows others’ use only to those who manage the server', async () => {
    const room = world.addRoom();
    const [owner, ben] = [world.addPerson(room, 'owner', 'ManageGuild'), world.addPerson(room, 'ben')];
    await world.discord.command(ben, room.channel, 'chat', { message: 'hello' }).reply();
    const all = (await world.discord.command(owner, room.channel, 'usage', { by: 'person' }).reply()).content;
    expect(all).toContain(`<@${ben.id}>`);
    const carl = world.addPerson(room, 'carl');
    const own = (await world.discord.command(carl, room.channel, 'usage', { by: 'channel' }).reply()).content;
    expect(own).toBe([`**${en.usage.heading(7)}**`, en.usage.none, en.usage.onlyYours('Manage Server')].join('\n'));
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_PERSONA } from '../../src/chatbot/settings.js';
import { serverScope } from '../../src/conversation/session.js';
import { en } from '../../src/words/en.js';
import { languages } from '../../src/words/index.js';
import type { FakeUser, InteractionHandle as Interaction } from '../support/fake-discord/index.js';
import { scriptedModel } from '../support/scripted-model.js';
import { type CommandWorld, openCommandWorld, type Room } from './command-world.js';

let world: CommandWorld;
beforeAll(async () => {
  world = await openCommandWorld();
});
afterAll(() => world.close());

const give = (room: Room, user: FakeUser, path: string, values = {}) =>
  world.discord.command(user, room.channel, `settings ${path}`, values);
const inForce = async ({ session }: Room) => world.ctx.chatbot.settings(session);
const owner = (room: Room) => world.addPerson(room, 'owner', 'ManageGuild', 'ManageChannels');

describe('/settings', () => {
  it.each([
    ['model', 'scripted-large', 'scripted-large', '`scripted-large`'],
    ['temperature', 0.3, 0.3, '0.3'],
    ['listen', 'all', 'all', 'all'],
    ['respond', 'always', 'always', 'always'],
    ['vision', 'on', true, 'on'],
    ['language', 'en', 'en', 'English'],
  ] as const)('changes %s of the server, in private, and says what is in force', async (name, given, stored, shown) => {
    const room = world.addRoom();
    const changed = give(room, owner(room), name, { [name]: given });
    expect((await changed.reply()).content).toBe(
      `${en.settings.saved.server}\n${en.settings.inForce(name, shown, en.origins.server)}`,
    );
    expect(changed.record().ephemeral).toBe(true);
    expect((await inForce(room))[name]).toMatchObject({ value: stored, origin: 'server' });
  });

  it('says when a nearer scope still holds', async () => {
    const room = world.addRoom();
    const ada = owner(room);
    await give(room, ada, 'temperature', { temperature: 1.5, scope: 'channel' }).reply();
    const { content } = await give(room, ada, 'temperature', { temperature: 0.5 }).reply();
    expect(content).toBe(`${en.settings.saved.server}\n${en.settings.inForce('temperature', '1.5', en.origins.here)}`);
  });

  it('is refused without the right, and nothing is changed', async () => {
    const room = world.addRoom();
    const ben = world.addPerson(room, 'ben');
    for (const [path, values] of [
      ['temperature', { temperature: 1 }],
      ['persona', {}],
      ['reset', { setting: 'everything' }],
    ] as const) {
      expect((await give(room, ben, path, values).reply()).content).toBe(en.refusals.needsRight('Manage Server'));
    }
    const scopes = [serverScope(room.guild.id), room.session.id];
    expect(await world.store.loadSettings(scopes)).toEqual([]);
  });

  it('shows every value with its scope to those who can read here', async () => {
    const room = world.addRoom();
    const ada = owner(room);
    await give(room, ada, 'temperature', { temperature: 0.5, scope: 'channel' }).reply();
    await world.ctx.chatbot.set(room.session.id, 'persona', `**${'x'.repeat(1_998)}`);
    const { embeds } = await give(room, ada, 'show').reply();
    const values = Object.fromEntries(embeds[0]?.fields?.map(({ name, value }) => [name, value]) ?? []);
    expect(values).toMatchObject({
      temperature: '0.5 (set here)',
      listen: 'addressed (default)',
      model: '`scripted` (default)',
      language: 'auto (default)',
    });
    expect(values.persona).toMatch(/^\\\*\\\*x+… \(cut here\) \(set here\)$/u);
    const ben = world.addPerson(room, 'ben');
    world.discord.setOverwrite(room.channel, { for: ben, deny: ['ReadMessageHistory'] });
    expect((await give(room, ben, 'show').reply()).content).toBe(en.refusals.needsRight('Read Message History'));
  });

  it('is reset one by one or altogether, in one scope', async () => {
    const room = world.addRoom();
    const ada = owner(room);
    await give(room, ada, 'temperature', { temperature: 0.5 }).reply();
    await give(room, ada, 'vision', { vision: 'on' }).reply();
    await give(room, ada, 'vision', { vision: 'off', scope: 'channel' }).reply();
    const one = await give(room, ada, 'reset', { setting: 'temperature' }).reply();
    expect(one.content).toBe(
      `${en.settings.removed.server}\n${en.settings.inForce('temperature', '1', en.origins.default)}`,
    );
    expect((await inForce(room)).vision).toMatchObject({ value: false, origin: 'here' });
    await give(room, ada, 'reset', { setting: 'everything' }).reply();
    const left = await world.store.loadSettings([room.session.id, serverScope(room.guild.id)]);
    expect(left.map(({ scopeId, key }) => [scopeId, key])).toEqual([[room.session.id, 'vision']]);
  });

  it('answers in the language that was just set', async () => {
    const room = world.addRoom();
    const { content } = await give(room, owner(room), 'language', { language: 'zh-TW' }).reply();
    expect(content).toContain(languages['zh-TW'].settings.saved.server);
  });
});

describe('/settings listen', () => {
  const publicLine = (given: Interaction) => given.followUp();

  it('tells the channel in one public line when all talk is remembered from now on', async () => {
    const room = world.addRoom();
    const given = give(room, owner(room), 'listen', { listen: 'all' });
    const line = await publicLine(given);
    expect(line.content).toBe(en.settings.listeningToAll);
    expect((line.flags ?? 0) & 64).toBe(0);
  });

  it('does not turn it on anew where it is on, so that no channel is told twice', async () => {
    const room = world.addRoom();
    const ada = owner(room);
    await publicLine(give(room, ada, 'listen', { listen: 'all' }));
    const { since } = (await inForce(room)).listen;
    const told = () => world.ctx.chatbot.sessions.loadFact(`listening ${room.session.id}`);
    await expect.poll(told).toBe(String(since));
    world.discord.clock.advance(1_000);
    await publicLine(give(room, ada, 'listen', { listen: 'all' }));
    expect((await inForce(room)).listen.since).toBe(since);
  });

  it('tells it as well when a reset brings it back', async () => {
    const room = world.addRoom();
    const ada = owner(room);
    await give(room, ada, 'listen', { listen: 'addressed', scope: 'channel' }).reply();
    await world.ctx.chatbot.set(serverScope(room.guild.id), 'listen', 'all');
    const given = give(room, ada, 'reset', { setting: 'listen', scope: 'channel' });
    expect((await publicLine(given)).content).toBe(en.settings.listeningToAll);
  });
});

describe('/settings model', () => {
  it('suggests the allowed models that contain what was typed', async () => {
    const room = world.addRoom();
    const suggested = async (model: string) => {
      const typed = world.discord.autocomplete(owner(room), room.channel, 'settings model', { model }, 'model');
      return (await typed.choices()).map(({ value }) => value);
    };
    expect(await suggested('')).toEqual(['scripted', 'scripted-large']);
    expect(await suggested('LARGE')).toEqual(['scripted-large']);
    expect(await suggested('gpt')).toEqual([]);
  });

  it('takes no other model, whatever was sent', async () => {
    const room = world.addRoom();
    const { content } = await give(room, owner(room), 'model', { model: 'gpt-99 @everyone' }).reply();
    expect(content).toBe(en.refusals.modelNotAllowed('scripted, scripted-large'));
    expect((await inForce(room)).model.origin).toBe('default');
  });
});

describe('/settings persona', () => {
  it('opens a form at once, with the persona that was set', async () => {
    const room = world.addRoom();
    const ada = owner(room);
    const opened = give(room, ada, 'persona', { scope: 'channel' });
    expect(await opened.modal()).toMatchObject({ title: en.persona.title });
    const sent = world.discord.submitModal(ada, opened, { persona: 'You are a pirate.' });
    expect((await sent.reply()).content).toContain('You are a pirate. (set here)');
    expect((await inForce(room)).persona).toMatchObject({ value: 'You are a pirate.', origin: 'here' });
    const again = await give(room, ada, 'persona').modal();
    expect(JSON.stringify(again)).toContain('You are a pirate.');
    expect(JSON.stringify(again)).not.toContain(DEFAULT_PERSONA);
  });

  it('checks the right again when the form is sent', async () => {
    const room = world.addRoom();
    const ada = owner(room);
    const opened = give(room, ada, 'persona');
    await opened.modal();
    const sent = world.discord.submitModal(ada, opened, { persona: 'x' }, { permissions: ['ViewChannel'] });
    expect((await sent.reply()).content).toBe(en.refusals.needsRight('Manage Server'));
    expect((await inForce(room)).persona.origin).toBe('default');
  });

  it('refuses 6,000 characters that a forged form sends, and a blank one', async () => {
    const room = world.addRoom();
    const ada = owner(room);
    const opened = give(room, ada, 'persona');
    // The form that the forger sends back is not the one that was opened.
    for (const field of fieldsOf(await opened.modal())) field.max_length = 6_000;
    const long = world.discord.submitModal(ada, opened, { persona: 'x'.repeat(6_000) });
    expect((await long.reply()).content).toBe(en.persona.tooLong(6_000, 2_000));
    const blank = world.discord.submitModal(ada, opened, { persona: ' \n ' });
    expect((await blank.reply()).content).toBe(en.persona.empty);
    expect((await inForce(room)).persona.origin).toBe('default');
  });

  it('belongs to who opened it', async () => {
    const room = world.addRoom();
    const opened = give(room, owner(room), 'persona');
    await opened.modal();
    const sent = world.discord.submitModal(world.addPerson(room, 'eve', 'ManageGuild'), opened, { persona: 'x' });
    expect((await sent.reply()).content).toBe(en.buttons.notYours);
  });
});

describe('/settings with a small model and without the intent', () => {
  let small: CommandWorld;
  beforeAll(async () => {
    small = await openCommandWorld({
      model: scriptedModel(() => 'ok', { contextWindow: 2_000 }),
      ctx: { messageContent: false },
    });
  });
  afterAll(() => small.close());

  it('takes a persona of a quarter of its context at most', async () => {
    const room = small.addRoom();
    const ada = small.addPerson(room, 'owner', 'ManageGuild');
    const opened = small.discord.command(ada, room.channel, 'settings persona');
    await opened.modal();
    const sent = small.discord.submitModal(ada, opened, { persona: '海'.repeat(501) });
    expect((await sent.reply()).content).toBe(en.persona.tooLarge(501, 500));
    const fits = small.discord.submitModal(ada, opened, { persona: '海'.repeat(500) });
    expect((await fits.reply()).content).toContain(en.settings.saved.server);
  });

  it.each([
    ['listen', 'all'],
    ['respond', 'always'],
  ])('refuses %s:%s with the switch to flip', async (name, value) => {
    const room = small.addRoom();
    const ada = small.addPerson(room, 'owner', 'ManageGuild');
    const given = small.discord.command(ada, room.channel, `settings ${name}`, { [name]: value });
    const { content } = await given.reply();
    expect(content).toBe(en.refusals.needsMessageContent(`${name}:${value}`));
    expect(content).toMatch(/Message Content Intent.*MESSAGE_CONTENT=1/u);
    const back = small.discord.command(ada, room.channel, `settings ${name}`, { [name]: 'addressed' });
    expect((await back.reply()).content).toContain(en.settings.saved.server);
  });
});

function fieldsOf(form: Record<string, unknown>): { max_length: number }[] {
  return (form.components as { component: { max_length: number } }[]).map(({ component }) => component);
}

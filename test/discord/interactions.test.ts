import { Routes } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { StorageError } from '../../src/conversation/errors.js';
import { COMMANDS_FACT, registerCommands } from '../../src/discord/bot.js';
import { en } from '../../src/words/en.js';
import { languages } from '../../src/words/index.js';
import { type CommandWorld, openCommandWorld } from './command-world.js';

let world: CommandWorld;
beforeAll(async () => {
  world = await openCommandWorld();
});
afterAll(() => world.close());

/** Lets a verb of the chatbot fail for one test. */
function failing(verb: 'report' | 'settings', error: Error): void {
  const { chatbot } = world.ctx;
  const verbs: Record<typeof verb, () => Promise<unknown>> = chatbot as never;
  const original = verbs[verb];
  verbs[verb] = () => Promise.reject(error);
  onTestFinished(() => {
    verbs[verb] = original;
  });
}

const ephemeral = (flags: number | undefined) => ((flags ?? 0) & 64) === 64;

describe('an interaction', () => {
  it('that fails in a way that people can mend ends in one sentence to the asker', async () => {
    failing('report', new StorageError('disk-full', 'SQLITE_FULL: database or disk is full'));
    const room = world.addRoom();
    const given = world.discord.command(world.addPerson(room, 'ada'), room.channel, 'memory show');
    const { content, flags } = await given.reply();
    expect(content).toBe(en.errors['disk-full']);
    expect(ephemeral(flags)).toBe(true);
  });

  it('is answered even when the settings cannot be read, in the language of the asker', async () => {
    failing('settings', new StorageError('storage', 'closed'));
    const room = world.addRoom();
    const ada = world.addPerson(room, 'ada');
    const given = world.discord.command(ada, room.channel, 'memory strategy inherit', {}, { locale: 'zh-CN' });
    expect((await given.followUp()).content).toBe(languages['zh-CN'].errors.storage);
  });

  it('that fails unforeseen is logged without texts, and the asker is told without internals', async () => {
    failing('report', new Error('what Ada said: the anchor is blue'));
    const room = world.addRoom();
    const given = world.discord.command(world.addPerson(room, 'ada'), room.channel, 'memory show');
    expect((await given.reply()).content).toBe(en.unforeseen);
    const line = world.log.findLast(({ message }) => message === 'failed to handle an interaction');
    expect(line?.level).toBe('error');
    expect(Object.keys(line?.fields ?? {})).toEqual(['error']);
  });

  it('that came too late is logged quietly and throws nothing', async () => {
    const room = world.addRoom();
    const ada = world.addPerson(room, 'ada');
    const before = world.log.length;
    const mark = world.discord.journal.mark();
    world.discord.command(ada, room.channel, 'memory show');
    world.discord.clock.advance(4_000);
    await world.discord.journal.waitForRest({ path: /\/callback$/u }, { since: mark });
    await Promise.all(world.handled);
    const lines = world.log.slice(before).map(({ level, message }) => `${level}: ${message}`);
    expect(lines).toEqual(['info: skipped an interaction that has expired']);
  });

  it('with a command that is gone is answered politely', async () => {
    const room = world.addRoom();
    const { rest, application } = world.ctx.client;
    const body = [{ name: 'old', description: 'A command of an earlier version', type: 1 }];
    await rest.put(Routes.applicationGuildCommands(application.id, room.guild.id), { body });
    const given = world.discord.command(world.addPerson(room, 'ada'), room.channel, 'old');
    const { content, flags } = await given.reply();
    expect(content).toBe(en.buttons.unknown);
    expect(ephemeral(flags)).toBe(true);
  });

  it('lists every command on /help, in the language of the asker', async () => {
    const room = world.addRoom();
    const given = world.discord.command(world.addPerson(room, 'ada'), room.channel, 'help', {}, { locale: 'zh-TW' });
    const { embeds } = await given.reply();
    const words = languages['zh-TW'];
    expect(embeds[0]?.title).toBe(words.helpDiscord.heading);
    for (const [name, text] of Object.entries(words.commands)) {
      expect(embeds[0]?.description).toContain(`\`/${name}\` ${text}`);
    }
  });

  it('is acknowledged before the store is asked', async () => {
    let release = () => {};
    const { chatbot } = world.ctx;
    const original = chatbot.settings.bind(chatbot);
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    chatbot.settings = (session) => gate.then(() => original(session));
    const room = world.addRoom();
    const given = world.discord.command(world.addPerson(room, 'ada'), room.channel, 'privacy');
    expect(await given.acknowledged()).toMatchObject({ type: 5 });
    release();
    chatbot.settings = original;
    expect((await given.reply()).embeds).toHaveLength(1);
  });
});

describe('registering', () => {
  const puts = () => world.discord.journal.rest({ method: 'PUT', path: /\/commands$/u }).length;

  it('happens once for the same commands, and again when they or the application have changed', async () => {
    const before = puts();
    expect(await registerCommands(world.ctx)).toBe(false);
    expect(puts()).toBe(before);
    await world.store.saveFact(COMMANDS_FACT, 'of an earlier version');
    expect(await registerCommands(world.ctx)).toBe(true);
    expect(puts()).toBe(before + 1);
    expect(await registerCommands(world.ctx)).toBe(false);
  });
});

import { Routes } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { StorageError } from '../../src/conversation/errors.js';
import { COMMANDS_FACT, registerCommands } from '../../src/discord/bot.js';
import { en } from '../../src/words/en.js';
import { languages } from '../../src/words/index.js';
import { type Desk, openDesk } from './command-desk.js';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

/** Lets a verb of the chatbot fail for one test. */
function failing(verb: 'report' | 'settings', error: Error): void {
  const { chatbot } = desk.ctx;
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
    const room = desk.room();
    const given = desk.discord.command(desk.person(room, 'ada'), room.channel, 'memory show');
    const { content, flags } = await given.reply();
    expect(content).toBe(en.errors['disk-full']);
    expect(ephemeral(flags)).toBe(true);
  });

  it('is answered even when the settings cannot be read, in the language of the asker', async () => {
    failing('settings', new StorageError('storage', 'closed'));
    const room = desk.room();
    const ada = desk.person(room, 'ada');
    const given = desk.discord.command(ada, room.channel, 'memory strategy inherit', {}, { locale: 'zh-CN' });
    expect((await given.followUp()).content).toBe(languages['zh-CN'].errors.storage);
  });

  it('that fails unforeseen is logged without texts, and the asker is told without internals', async () => {
    failing('report', new Error('what Ada said: the anchor is blue'));
    const room = desk.room();
    const given = desk.discord.command(desk.person(room, 'ada'), room.channel, 'memory show');
    expect((await given.reply()).content).toBe(en.unforeseen);
    const line = desk.logged.findLast(({ message }) => message === 'failed to handle an interaction');
    expect(line?.level).toBe('error');
    expect(Object.keys(line?.fields ?? {})).toEqual(['error']);
  });

  it('that came too late is logged quietly and throws nothing', async () => {
    const room = desk.room();
    const ada = desk.person(room, 'ada');
    const before = desk.logged.length;
    const mark = desk.discord.journal.mark();
    desk.discord.command(ada, room.channel, 'memory show');
    desk.discord.clock.advance(4_000);
    await desk.discord.journal.waitForRest({ path: /\/callback$/u }, { since: mark });
    await Promise.all(desk.handled);
    const lines = desk.logged.slice(before).map(({ level, message }) => `${level}: ${message}`);
    expect(lines).toEqual(['info: skipped an interaction that has expired']);
  });

  it('with a command that is gone is answered politely', async () => {
    const room = desk.room();
    const { rest, application } = desk.ctx.client;
    const body = [{ name: 'old', description: 'A command of an earlier version', type: 1 }];
    await rest.put(Routes.applicationGuildCommands(application.id, room.guild.id), { body });
    const given = desk.discord.command(desk.person(room, 'ada'), room.channel, 'old');
    const { content, flags } = await given.reply();
    expect(content).toBe(en.buttons.unknown);
    expect(ephemeral(flags)).toBe(true);
  });

  it('lists every command on /help, in the language of the asker', async () => {
    const room = desk.room();
    const given = desk.discord.command(desk.person(room, 'ada'), room.channel, 'help', {}, { locale: 'zh-TW' });
    const { embeds } = await given.reply();
    const words = languages['zh-TW'];
    expect(embeds[0]?.title).toBe(words.helpDiscord.heading);
    for (const [name, text] of Object.entries(words.commands)) {
      expect(embeds[0]?.description).toContain(`\`/${name}\` ${text}`);
    }
  });

  it('is acknowledged before the store is asked', async () => {
    let release = () => {};
    const { chatbot } = desk.ctx;
    const original = chatbot.settings.bind(chatbot);
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    chatbot.settings = (session) => gate.then(() => original(session));
    const room = desk.room();
    const given = desk.discord.command(desk.person(room, 'ada'), room.channel, 'privacy');
    expect(await given.acknowledged()).toMatchObject({ type: 5 });
    release();
    chatbot.settings = original;
    expect((await given.reply()).embeds).toHaveLength(1);
  });
});

describe('registering', () => {
  const puts = () => desk.discord.journal.rest({ method: 'PUT', path: /\/commands$/u }).length;

  it('happens once for the same commands, and again when they or the application have changed', async () => {
    const before = puts();
    expect(await registerCommands(desk.ctx)).toBe(false);
    expect(puts()).toBe(before);
    await desk.store.saveFact(COMMANDS_FACT, 'of an earlier version');
    expect(await registerCommands(desk.ctx)).toBe(true);
    expect(puts()).toBe(before + 1);
    expect(await registerCommands(desk.ctx)).toBe(false);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../src/words/en.js';
import { languages } from '../../src/words/index.js';
import { aMessage } from '../support/conversation.js';
import { type CommandWorld, openCommandWorld } from './command-world.js';

let world: CommandWorld;
beforeAll(async () => {
  world = await openCommandWorld();
});
afterAll(() => world.close());

describe('/memory strategy', () => {
  it('changes the server’s strategy, and tells the channel what was before and after', async () => {
    const room = world.addRoom();
    const ada = world.addPerson(room, 'ada', 'ManageGuild');
    const given = world.discord.command(ada, room.channel, 'memory strategy window', { k: 8 });
    const { content } = await given.reply();
    expect(content.split('\n').slice(0, 2)).toEqual([
      'Remembered now: `window k:8 unit:messages` (set for the server).',
      'Before: `summary-buffer max_tokens:3000 keep_tokens:1500 max_summary_tokens:400`.',
    ]);
    expect(given.record().ephemeral).toBe(false);
    const { strategy } = await world.ctx.chatbot.settings(room.session);
    expect(strategy).toMatchObject({ origin: 'server', value: { name: 'window', k: 8 } });
  });

  it('changes a channel alone with scope:channel, and inherit takes that back', async () => {
    const room = world.addRoom();
    const mod = world.addPerson(room, 'mod', 'ManageChannels');
    await world.discord.command(mod, room.channel, 'memory strategy buffer', { scope: 'channel' }).reply();
    expect((await world.ctx.chatbot.settings(room.session)).strategy.origin).toBe('here');
    const back = world.discord.command(mod, room.channel, 'memory strategy inherit', { scope: 'channel' });
    expect((await back.reply()).content).toContain('(default)');
    expect((await world.ctx.chatbot.settings(room.session)).strategy.origin).toBe('default');
  });

  it('refuses those without the right, in private, and names what would do', async () => {
    const room = world.addRoom();
    const mod = world.addPerson(room, 'mod', 'ManageChannels');
    const refused = world.discord.command(mod, room.channel, 'memory strategy window', { k: 8 });
    expect((await refused.followUp()).content).toBe(en.refusals.needsServerRight('Manage Server'));
    const nobody = world.addPerson(room, 'ben');
    const again = world.discord.command(nobody, room.channel, 'memory strategy window', { k: 8, scope: 'channel' });
    const { content, flags } = await again.followUp();
    expect(content).toBe(en.refusals.needsRight('Manage Channels'));
    expect((flags ?? 0) & 64).toBe(64);
    expect(world.discord.botMessagesIn(room.channel)).toEqual([]);
    expect((await world.ctx.chatbot.settings(room.session)).strategy.origin).toBe('default');
  });

  it('asks for Manage Threads in a thread, which has its own memory', async () => {
    const room = world.addRoom();
    const thread = world.discord.addThread(room.channel);
    const mod = world.addPerson(room, 'mod', 'ManageChannels');
    const values = { k: 3, scope: 'channel' };
    const refused = world.discord.command(mod, thread, 'memory strategy window', values);
    expect((await refused.followUp()).content).toBe(en.refusals.needsRight('Manage Threads'));
    const keeper = world.addPerson(room, 'keeper', 'ManageThreads');
    const done = world.discord.command(keeper, thread, 'memory strategy window', values);
    expect((await done.reply()).content).toContain('`window k:3 unit:messages` (set here)');
    expect((await world.ctx.chatbot.settings(room.session)).strategy.origin).toBe('default');
  });

  it('explains what does not fit together, and keeps the old strategy', async () => {
    const room = world.addRoom();
    const ada = world.addPerson(room, 'ada', 'ManageGuild');
    const values = { max_tokens: 1_000, max_messages: 10 };
    const refused = world.discord.command(ada, room.channel, 'memory strategy summary-buffer', values);
    expect((await refused.followUp()).content).toMatch(/max_tokens.*exclude each other/u);
    expect((await world.ctx.chatbot.settings(room.session)).strategy.origin).toBe('default');
  });

  it('says that k:1 carries nothing but the question', async () => {
    const room = world.addRoom();
    const ada = world.addPerson(room, 'ada', 'ManageGuild');
    const given = world.discord.command(ada, room.channel, 'memory strategy window', { k: 1 });
    expect((await given.reply()).content).toContain(en.carriesNothing);
  });

  it('says what was saved for the server, and which nearer setting still counts', async () => {
    const room = world.addRoom();
    const thread = world.discord.addThread(room.channel);
    const ada = world.addPerson(room, 'ada', 'ManageGuild', 'ManageChannels', 'ManageThreads');
    const say = en.strategyHidden;
    const window = (channel: typeof thread, values: Record<string, number | string>) =>
      world.discord.command(ada, channel, 'memory strategy window', values).reply();
    await window(room.channel, { k: 4, scope: 'channel' });
    const inChannel = await window(room.channel, { k: 0 });
    expect(inChannel.content).toBe(
      `${say.savedForServer('`window k:0 unit:messages`')}\n${say.here('`window k:4 unit:messages`')}`,
    );
    const inThread = world.discord.command(ada, thread, 'memory strategy inherit');
    expect((await inThread.reply()).content).toBe(
      `${en.settings.removed.server}\n${say.channel('`window k:4 unit:messages`')}`,
    );
    await window(thread, { k: 1, scope: 'channel' });
    const hidden = await window(thread, { k: 6 });
    expect(hidden.content).toBe(
      [
        say.savedForServer('`window k:6 unit:messages`'),
        say.here('`window k:1 unit:messages`'),
        en.carriesNothing,
      ].join('\n'),
    );
  });

  it('lets a person do everything in their direct message, which has no server', async () => {
    const ada = world.discord.addUser({ name: 'ada' });
    const dm = world.discord.openDm(ada);
    const refused = world.discord.command(ada, dm, 'memory strategy window', { k: 8, scope: 'server' });
    expect((await refused.followUp()).content).toBe(en.refusals.noServer);
    const done = world.discord.command(ada, dm, 'memory strategy window', { k: 8 });
    expect((await done.reply()).content).toContain('(set here)');
  });

  it('answers in the language of who asks, unless one is set', async () => {
    const room = world.addRoom();
    const ada = world.addPerson(room, 'ada', 'ManageGuild');
    const inTaiwan = { locale: 'zh-TW' };
    const first = world.discord.command(ada, room.channel, 'memory strategy window', { k: 8 }, inTaiwan);
    expect((await first.reply()).content).toContain('（在伺服器設定）');
    await world.discord.command(ada, room.channel, 'settings language', { language: 'zh-CN' }, inTaiwan).reply();
    const second = world.discord.command(ada, room.channel, 'memory strategy window', { k: 8 }, inTaiwan);
    expect((await second.reply()).content).toContain('（在服务器设置）');
  });
});

describe('/memory show', () => {
  it('shows the report with a gauge to the asker alone', async () => {
    const room = world.addRoom();
    const ada = world.addPerson(room, 'ada');
    await world.store.openSession(room.session);
    await world.store.append(aMessage({ sessionId: room.session.id, text: 'the anchor is blue' }));
    const given = world.discord.command(ada, room.channel, 'memory show');
    const { embeds, attachments } = await given.reply();
    expect(given.record().ephemeral).toBe(true);
    expect(embeds[0]?.title).toBe(en.report.heading);
    expect(embeds[0]?.fields?.find(({ name }) => name === 'stored')?.value).toBe(
      '1 message; the model sees all of them',
    );
    expect(attachments[0]).toMatchObject({ filename: 'gauge.png' });
    expect(attachments[0]?.description).toMatch(/^Gauge of the context of 128,000 tokens: persona \d+/u);
    const png = new Uint8Array(await (await fetch(attachments[0]?.url ?? '')).arrayBuffer());
    expect([...png.slice(1, 4)].map((byte) => String.fromCharCode(byte)).join('')).toBe('PNG');
  });

  it('is refused to those who cannot read the channel now', async () => {
    const room = world.addRoom();
    const ben = world.addPerson(room, 'ben');
    world.discord.setOverwrite(room.channel, { for: ben, deny: ['ReadMessageHistory'] });
    const given = world.discord.command(ben, room.channel, 'memory show');
    expect((await given.reply()).content).toBe(en.refusals.needsRight('Read Message History'));
  });

  it('is translated', async () => {
    const room = world.addRoom();
    const ada = world.addPerson(room, 'ada');
    const given = world.discord.command(ada, room.channel, 'memory show', {}, { locale: 'zh-TW' });
    expect((await given.reply()).embeds[0]?.title).toBe(languages['zh-TW'].report.heading);
  });
});

describe('/memory summarize', () => {
  it('takes the right to change the channel', async () => {
    const room = world.addRoom();
    const given = world.discord.command(world.addPerson(room, 'ben'), room.channel, 'memory summarize');
    expect((await given.reply()).content).toBe(en.refusals.needsRight('Manage Channels'));
  });

  it('folds, or says why there is nothing to fold', async () => {
    const room = world.addRoom();
    const mod = world.addPerson(room, 'mod', 'ManageChannels', 'ManageGuild');
    expect((await world.discord.command(mod, room.channel, 'memory summarize').reply()).content).toBe(en.summarized(0));
    await world.discord.command(mod, room.channel, 'memory strategy window', { k: 2 }).reply();
    const given = world.discord.command(mod, room.channel, 'memory summarize');
    expect((await given.reply()).content).toBe(en.notSummarizing('window'));
  });
});

import { expect, it } from 'vitest';
import { failure, stream, whole } from '../support/fake-openai/index.js';
import { openProcessWorld } from './process-world.js';

const KEY = 'sk-planted-key-0123456789';
/** Words that stand in nothing but what people, models and providers say. */
const ASKED = 'quetzal';
const ANSWER = 'marzipan';
const FAILS = 'obsidian';
const BREAKS = 'tamarind';
const EDITED = 'whalebone';
const SUMMARY = 'cinnabar';
const NAME = 'halibut';

it('logs what happens at debug level without a token, a key, a name or a text', async () => {
  const world = await openProcessWorld();
  const { discord, model } = world;
  try {
    const echo = { message: `${KEY}: ${FAILS} is not allowed`, code: 'server_error' };
    model.on('summarise', whole(SUMMARY));
    model.on(ASKED, whole(`${ANSWER} it is`));
    model.on(FAILS, failure(500, echo));
    model.on(BREAKS, stream('one ', { raw: `data: {"${KEY} ${BREAKS}\n\n` }));
    const bot = await world.start({
      LOG_LEVEL: 'debug',
      OPENAI_API_KEY: KEY,
      OPENAI_MODEL: 'fake-model',
      HEALTH_PORT: '0',
    });
    const channel = world.addChannel();
    const ada = world.addMember(NAME, 'ManageGuild', 'ManageChannels');
    await discord.command(ada, channel, 'memory strategy summary', { scope: 'channel' }).reply();
    await world.ask(`what is ${ASKED}?`, channel, ada);
    await world.ask(`and ${FAILS}?`, channel, ada);
    await world.ask(`then ${BREAKS}!`, channel, ada);
    const asked = world.mention(ada, channel, 'soon changed');
    await world.answerTo(asked);
    discord.edit(asked, `${EDITED} now`);
    discord.deleteMessage(asked);
    await discord.command(ada, channel, 'memory summarize').reply();
    await discord.command(ada, channel, 'memory show').reply();
    await discord.command(ada, channel, 'memory export').reply();
    await discord.command(ada, channel, 'chat', { message: `say ${ASKED}` }).reply();
    bot.signal('SIGTERM');
    await bot.ended;
    const output = bot.out() + bot.errors();
    const secrets = [
      ASKED,
      ANSWER,
      FAILS,
      BREAKS,
      EDITED,
      SUMMARY,
      NAME,
      KEY,
      KEY.slice(0, 12),
      discord.token,
      discord.token.slice(-12),
    ];
    expect(secrets.filter((secret) => output.toLowerCase().includes(secret.toLowerCase()))).toEqual([]);
    const lines = bot
      .errors()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    const [started] = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'started');
    expect(started).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/u),
      database: { path: expect.stringMatching(/keepsake\.db$/u), bytes: expect.any(Number), ageDays: 0 },
      sessions: 0,
      model: 'fake-model',
      strategy: 'summary-buffer',
      intents: ['Guilds', 'GuildMessages', 'DirectMessages', 'MessageContent'],
    });
  } finally {
    await world.close();
  }
});

import { GatewayIntentBits } from 'discord.js';
import { describe, expect, it, type TestContext } from 'vitest';
import { en } from '../../src/words/en.js';
import { LOGGED_IN } from '../support/bot-process.js';
import type { FakeDiscordOptions as Options } from '../support/fake-discord/index.js';
import { stream } from '../support/fake-openai/index.js';
import { gate, transcript } from './scripted-endpoint.js';
import { openStage, type Stage } from './stage.js';

const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;

async function setStage({ onTestFinished }: TestContext, options: Partial<Options> = {}): Promise<Stage> {
  const stage = await openStage(options);
  onTestFinished(() => stage.close());
  return stage;
}

/** The intents that the bot asked for. */
function intents({ discord }: Stage): number {
  const [identify] = discord.journal.gateway({ direction: 'in', op: 2 });
  return (identify?.d as { intents: number } | undefined)?.intents ?? -1;
}

describe.concurrent('a start that cannot go well', () => {
  it('chats in the terminal without a token', async (test) => {
    const stage = await setStage(test);
    const bot = stage.launch({ DISCORD_TOKEN: undefined as never });
    await bot.said('No DISCORD_TOKEN is set');
    await bot.said('/quit to leave');
    bot.type('/quit');
    expect(await bot.ended).toEqual({ code: 0, signal: null });
    expect(stage.discord.journal.rest()).toEqual([]);
  });

  it('ends in one line that names the mend, when the token is wrong', async (test) => {
    const stage = await setStage(test);
    const bot = stage.launch({ DISCORD_TOKEN: 'not.the.token' });
    expect(await bot.ended).toEqual({ code: 2, signal: null });
    expect(bot.errors()).toMatch(/^keepsake: Discord refused the token; .*DISCORD_TOKEN\n$/);
  });

  it('ends in one line that names the switch, when the intent is not granted, and later when it is taken away', async (test) => {
    const stage = await setStage(test, { intentsGranted: [] });
    const first = stage.launch();
    expect(await first.ended).toEqual({ code: 2, signal: null });
    expect(first.errors()).toMatch(/^keepsake: the Message Content intent is not granted; .*MESSAGE_CONTENT=0.*\n$/);
    stage.discord.grantIntents(['messageContent']);
    const second = await stage.start();
    stage.discord.gateway.close(4014);
    expect(await second.ended).toEqual({ code: 2, signal: null });
    expect(second.errors()).toMatch(/^keepsake: the Message Content intent is not granted; .*\n$/m);
  });

  it('ends when the token is reset while it runs', async (test) => {
    const stage = await setStage(test);
    const bot = await stage.start();
    stage.discord.gateway.close(4004);
    expect(await bot.ended).toEqual({ code: 2, signal: null });
    expect(bot.errors()).toMatch(/^keepsake: Discord refused the token; .*\n$/m);
  });

  it('ends in one line when Discord cannot be reached', async (test) => {
    const stage = await setStage(test);
    await stage.discord.rest.refuse();
    const bot = stage.launch();
    expect(await bot.ended).toEqual({ code: 1, signal: null });
    expect(bot.errors()).toMatch(/^keepsake: Discord cannot be reached; .*\n$/);
  });
});

describe.concurrent('a running bot', () => {
  it('asks for the least intents, prints its invitation, and leaves with 0 on SIGTERM', async (test) => {
    const stage = await setStage(test);
    const bot = await stage.start();
    expect(intents(stage)).toBe(Guilds | GuildMessages | DirectMessages | MessageContent);
    await bot.said(`client_id=${stage.discord.applicationId}&scope=bot%20applications.commands&permissions=`);
    bot.signal('SIGTERM');
    expect(await bot.ended).toEqual({ code: 0, signal: null });
    expect(bot.errors()).toBe('');
  });

  it('finishes its answer after SIGTERM, takes nothing more in, and says nothing of texts in its log', async (test) => {
    const stage = await setStage(test);
    const { discord, model } = stage;
    const [ada, room, go] = [stage.person('Ada'), stage.room(), gate()];
    const bot = await stage.start({ LOG_LEVEL: 'debug' });
    model.on('last words', stream('These ', { wait: go.opened }, 'are they.', { finish: 'stop' }));
    const question = stage.mention(ada, room, 'last words');
    await discord.replyTo(question);
    bot.signal('SIGTERM');
    const isHeard = () =>
      discord
        .command(ada, room, 'help')
        .acknowledged({ timeoutMs: 500 })
        .then(
          () => true,
          () => false,
        );
    while (await isHeard());
    stage.mention(ada, room, 'too late');
    go.open();
    expect((await stage.answerTo(question)).content).toBe('These are they.');
    expect(await bot.ended).toEqual({ code: 0, signal: null });
    expect(model.requests('too late')).toEqual([]);
    expect(bot.out() + bot.errors()).not.toMatch(/last words|are they|too late|sk-loopback/);
    expect(bot.out() + bot.errors()).not.toContain(discord.token);
  });

  it('parks an answer that does not end in time, and ends all the same', async (test) => {
    const stage = await setStage(test);
    const [ada, room, never] = [stage.person('Ada'), stage.room(), gate()];
    const bot = await stage.start();
    stage.model.on('an endless tale', stream('Once', { wait: never.opened }));
    await stage.discord.replyTo(stage.mention(ada, room, 'an endless tale'));
    const before = Date.now();
    bot.signal('SIGTERM');
    expect(await bot.ended).toEqual({ code: 0, signal: null });
    expect(Date.now() - before).toBeLessThan(25_000);
  });

  it('asks for time between the questions of a person, and answers so many at once in a server', async (test) => {
    const stage = await setStage(test);
    const { discord, model } = stage;
    await stage.start({ COOLDOWN_SECONDS: '60', ANSWERS_PER_SERVER: '1' });
    const [ada, ben, room, other, go] = [stage.person('Ada'), stage.person('Ben'), stage.room(), stage.room(), gate()];
    model.on('hold the place', stream('Held', { wait: go.opened }, ' on', { finish: 'stop' }));
    const held = stage.mention(ada, room, 'hold the place');
    await discord.replyTo(held);
    expect((await stage.ask(ada, other, 'too soon')).content).toMatch(
      /^One question at a time; ask again in \d+ seconds/,
    );
    expect((await stage.ask(ben, other, 'too many')).content).toBe(en.limits.serverBusy);
    go.open();
    await stage.answerTo(held);
    expect(model.requests('too ')).toEqual([]);
  });
});

describe.concurrent('mention-only mode', () => {
  it('needs no privileged intent, answers what it may read, and refuses what it cannot do with the switch', async (test) => {
    const stage = await setStage(test, { intentsGranted: [] });
    const { discord, model } = stage;
    const bot = await stage.start({ MESSAGE_CONTENT: '0' });
    await bot.said(LOGGED_IN);
    await bot.said('MESSAGE_CONTENT=0: only what is addressed to the bot is read.');
    expect(intents(stage)).toBe(Guilds | GuildMessages | DirectMessages);
    const [olga, room] = [stage.person('Olga', 'ManageGuild', 'ManageChannels'), stage.room()];
    for (const [name, value] of [
      ['listen', 'all'],
      ['respond', 'always'],
    ] as const) {
      const refused = await discord.command(olga, room, `settings ${name}`, { [name]: value }).reply();
      expect(refused.content).toBe(en.refusals.needsMessageContent(`${name}:${value}`));
    }
    const answer = await stage.ask(olga, room, 'by mention');
    expect(answer.content).toBe('You said: Olga: by mention');
    await stage.answerTo(discord.say(olga, room, 'by a reply', { replyTo: answer }));
    await stage.answerTo(discord.say(olga, discord.openDm(olga), 'by a direct message'));
    const thread = discord.addThread(room, { owner: olga });
    await stage.ask(olga, thread, 'in a thread');
    discord.say(olga, thread, 'what cannot be read');
    const talk = discord.say(olga, thread, 'a hidden talk');
    await stage.ask(olga, thread, 'after the hidden', { replyTo: talk });
    expect(discord.botMessagesIn(thread)).toHaveLength(2);
    expect(transcript(await model.asked('after the hidden'))).not.toMatch(/no text|cannot be read|replying/);
  });
});

import { GatewayIntentBits } from 'discord.js';
import { describe, expect, it, type TestContext } from 'vitest';
import { en } from '../../src/words/en.js';
import type { FakeDiscordOptions as Options } from '../support/fake-discord/index.js';
import { stream } from '../support/fake-openai/index.js';
import { gate } from '../support/gate.js';
import { LOGGED_IN } from '../support/program.js';
import { openProcessWorld, type ProcessWorld } from './process-world.js';

const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;

async function setStage({ onTestFinished }: TestContext, options: Partial<Options> = {}): Promise<ProcessWorld> {
  const world = await openProcessWorld(options);
  onTestFinished(() => world.close());
  return world;
}

/** The intents that the bot asked for. */
function intents({ discord }: ProcessWorld): number {
  const [identify] = discord.journal.gateway({ direction: 'in', op: 2 });
  return (identify?.d as { intents: number } | undefined)?.intents ?? -1;
}

describe.concurrent('a start that cannot go well', () => {
  it('chats in the terminal without a token', async (test) => {
    const world = await setStage(test);
    const bot = world.launch({ DISCORD_TOKEN: undefined as never });
    await bot.says('No DISCORD_TOKEN is set');
    await bot.says('/quit to leave');
    bot.type('/quit');
    expect(await bot.ended).toMatchObject({ code: 0, signal: null });
    expect(world.discord.journal.rest()).toEqual([]);
  });

  it('ends in one line that names the mend, when the token is wrong', async (test) => {
    const world = await setStage(test);
    const bot = world.launch({ DISCORD_TOKEN: 'not.the.token' });
    expect(await bot.ended).toMatchObject({ code: 2, signal: null });
    expect(bot.errors()).toMatch(/^keepsake: Discord refused the token; .*DISCORD_TOKEN\n$/);
  });

  it('ends in one line that names the switch when an intent is not granted or taken away', async (test) => {
    const world = await setStage(test, { intentsGranted: [] });
    const first = world.launch();
    expect(await first.ended).toMatchObject({ code: 2, signal: null });
    expect(first.errors()).toMatch(/^keepsake: the Message Content intent is not granted; .*MESSAGE_CONTENT=0.*\n$/);
    world.discord.grantIntents(['messageContent']);
    const second = await world.start();
    world.discord.gateway.close(4014);
    expect(await second.ended).toMatchObject({ code: 2, signal: null });
    expect(second.errors()).toMatch(/^keepsake: the Message Content intent is not granted; .*\n$/m);
  });

  it('ends when the token is reset while it runs', async (test) => {
    const world = await setStage(test);
    const bot = await world.start();
    world.discord.gateway.close(4004);
    expect(await bot.ended).toMatchObject({ code: 2, signal: null });
    expect(bot.errors()).toMatch(/^keepsake: Discord refused the token; .*\n$/m);
  });

  it('ends in one line when Discord cannot be reached', async (test) => {
    const world = await setStage(test);
    await world.discord.rest.refuse();
    const bot = world.launch();
    expect(await bot.ended).toMatchObject({ code: 1, signal: null });
    expect(bot.errors()).toMatch(/^keepsake: Discord cannot be reached; .*\n$/);
  });
});

describe.concurrent('a running bot', () => {
  it('asks for the least intents, prints its invitation, and leaves with 0 on SIGTERM', async (test) => {
    const world = await setStage(test);
    const bot = await world.start();
    expect(intents(world)).toBe(Guilds | GuildMessages | DirectMessages | MessageContent);
    await bot.says(`client_id=${world.discord.applicationId}&scope=bot%20applications.commands&permissions=`);
    bot.signal('SIGTERM');
    expect(await bot.ended).toMatchObject({ code: 0, signal: null });
    expect(bot.errors()).toBe('');
  });

  it('finishes its answer after SIGTERM, takes nothing more in, and logs no texts', async (test) => {
    const world = await setStage(test);
    const { discord, model } = world;
    const [ada, channel, go] = [world.addMember('Ada'), world.addChannel(), gate()];
    const bot = await world.start({ LOG_LEVEL: 'debug' });
    model.on('last words', stream('These ', { wait: go.opened }, 'are they.', { finish: 'stop' }));
    const question = world.mention(ada, channel, 'last words');
    await discord.replyTo(question);
    bot.signal('SIGTERM');
    const isHeard = () =>
      discord
        .command(ada, channel, 'help')
        .acknowledged({ timeoutMs: 500 })
        .then(
          () => true,
          () => false,
        );
    while (await isHeard());
    world.mention(ada, channel, 'too late');
    go.open();
    expect((await world.answerTo(question)).content).toBe('These are they.');
    expect(await bot.ended).toMatchObject({ code: 0, signal: null });
    expect(model.requests('too late')).toEqual([]);
    expect(bot.out() + bot.errors()).not.toMatch(/last words|are they|too late|sk-loopback/);
    expect(bot.out() + bot.errors()).not.toContain(discord.token);
  });

  it('parks an answer that does not end in time, and ends all the same', async (test) => {
    const world = await setStage(test);
    const [ada, channel, never] = [world.addMember('Ada'), world.addChannel(), gate()];
    const bot = await world.start();
    world.model.on('an endless tale', stream('Once', { wait: never.opened }));
    await world.discord.replyTo(world.mention(ada, channel, 'an endless tale'));
    bot.signal('SIGTERM');
    expect(await bot.ended).toMatchObject({ code: 0, signal: null });
  });

  it('asks for time between the questions of a person, and answers so many at once in a server', async (test) => {
    const world = await setStage(test);
    const { discord, model } = world;
    await world.start({ COOLDOWN_SECONDS: '60', ANSWERS_PER_SERVER: '1' });
    const [ada, ben, channel, other, go] = [
      world.addMember('Ada'),
      world.addMember('Ben'),
      world.addChannel(),
      world.addChannel(),
      gate(),
    ];
    model.on('hold the place', stream('Held', { wait: go.opened }, ' on', { finish: 'stop' }));
    const held = world.mention(ada, channel, 'hold the place');
    await discord.replyTo(held);
    expect((await world.ask('too soon', other, ada)).content).toMatch(
      /^One question at a time; ask again in \d+ seconds/,
    );
    expect((await world.ask('too many', other, ben)).content).toBe(en.limits.serverBusy);
    go.open();
    await world.answerTo(held);
    expect(model.requests('too ')).toEqual([]);
  });
});

describe.concurrent('mention-only mode', () => {
  it('needs no privileged intent, answers what it may read, and refuses what it cannot do', async (test) => {
    const world = await setStage(test, { intentsGranted: [] });
    const { discord, model } = world;
    const bot = await world.start({ MESSAGE_CONTENT: '0' });
    await bot.says(LOGGED_IN);
    await bot.says('MESSAGE_CONTENT=0: only what is addressed to the bot is read.');
    expect(intents(world)).toBe(Guilds | GuildMessages | DirectMessages);
    const [olga, channel] = [world.addMember('Olga', 'ManageGuild', 'ManageChannels'), world.addChannel()];
    for (const [name, value] of [
      ['listen', 'all'],
      ['respond', 'always'],
    ] as const) {
      const refused = await discord.command(olga, channel, `settings ${name}`, { [name]: value }).reply();
      expect(refused.content).toBe(en.refusals.needsMessageContent(`${name}:${value}`));
    }
    const answer = await world.ask('by mention', channel, olga);
    expect(answer.content).toBe('You said: by mention');
    await world.answerTo(discord.say(olga, channel, 'by a reply', { replyTo: answer }));
    await world.answerTo(discord.say(olga, discord.openDm(olga), 'by a direct message'));
    const thread = discord.addThread(channel, { owner: olga });
    await world.ask('in a thread', thread, olga);
    discord.say(olga, thread, 'what cannot be read');
    const talk = discord.say(olga, thread, 'a hidden talk');
    await world.ask('after the hidden', thread, olga, { replyTo: talk });
    expect(discord.botMessagesIn(thread)).toHaveLength(2);
    expect(await model.promptFor('after the hidden')).not.toMatch(/no text|cannot be read|replying/);
  });
});

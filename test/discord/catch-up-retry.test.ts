import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { armFaults } from '../../src/fault.js';
import { en } from '../../src/words/en.js';
import { forever, stream } from '../support/fake-openai/index.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';
import { promptText } from '../support/scripted-endpoint.js';
import { isOver } from '../support/world.js';
import { buttonId } from './command-world.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld();
});
afterEach(() => world.close());

type Ref = { id: string };

/** More than the pauses after a failure, so that the interval of further tries is reached. */
const TRIES = 5;

/** What is kept of a channel or thread. */
async function kept(place: Ref): Promise<string[]> {
  const { messages } = await world.running().store.loadHistory(`discord:${place.id}`, { summary: true });
  return messages.map(({ text }) => text);
}

/** Lets the reading of a channel fail so often. */
function unreadable(place: Ref, times: number) {
  const path = `/channels/${place.id}/messages`;
  return world.discord.faults.add({ method: 'GET', path, times }, { kind: 'status', status: 503 });
}

/** Resolves once a fault was met so often. */
const met = (fault: { id: number }, times: number) =>
  expect.poll(() => world.discord.faults.hits(fault)).toBeGreaterThanOrEqual(times);

describe('a channel that cannot be read at first', () => {
  it('is tried again until it can: what was missed is answered, what was deleted goes', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    await world.ask('which was deleted');
    await world.ask('which stays');
    await world.stop();
    const [deleted] = discord.messagesIn(channel);
    discord.deleteMessage(deleted as Ref);
    const missed = world.mention(ada, channel, 'which was missed');
    const fault = unreadable(channel, TRIES);
    await world.start();
    await met(fault, 1);
    await world.ask('which came in between');
    await discord.replyTo(missed);
    expect(discord.faults.hits(fault)).toBe(TRIES);
    const [stays, between, late] = ['stays', 'came in between', 'was missed'].map((what) => `which ${what}`);
    const left = [stays, between, late].flatMap((text) => [text, `You said: ${text}`]);
    await expect.poll(() => kept(channel)).toEqual(left);
  });

  it('holds up no other one', async () => {
    const { discord, guild, channel, ada } = world;
    const other = discord.addChannel(guild);
    await world.start();
    for (const place of [channel, other]) await world.ask('hello', place);
    await world.stop();
    const missed = world.mention(ada, other, 'are you there');
    unreadable(channel, Number.POSITIVE_INFINITY);
    unreadable(other, 2);
    await world.start();
    await discord.replyTo(missed);
    await expect.poll(() => kept(other)).toContain('are you there');
  });

  it('is left alone where Discord refuses: that would be the same another time', async () => {
    const { discord, guild, channel, ada } = world;
    const other = discord.addChannel(guild);
    await world.start();
    for (const place of [channel, other]) await world.ask('hello', place);
    await world.stop();
    const refusal = { kind: 'status' as const, status: 403, body: { code: 50001, message: 'no' } };
    const path = `/channels/${channel.id}/messages`;
    const refused = discord.faults.add({ method: 'GET', path, times: Number.POSITIVE_INFINITY }, refusal);
    const missed = world.mention(ada, other, 'are you there');
    const fault = unreadable(other, TRIES);
    await world.start();
    await discord.replyTo(missed);
    expect([discord.faults.hits(fault), discord.faults.hits(refused)]).toEqual([TRIES, 1]);
    expect(await kept(channel)).toEqual(['hello', 'You said: hello']);
  });

  it('is tried no more once the bot has ended', async () => {
    const { discord, guild, channel, ada } = world;
    const other = discord.addChannel(guild);
    await world.start();
    for (const place of [channel, other]) await world.ask('hello', place);
    await world.stop();
    const fault = unreadable(channel, Number.POSITIVE_INFINITY);
    await world.start();
    await met(fault, TRIES);
    await world.stop();
    const before = discord.faults.hits(fault);
    discord.faults.remove(fault);
    const missed = [world.mention(ada, other, 'are you there')];
    const again = unreadable(other, TRIES);
    await world.start();
    await discord.replyTo(missed[0] as Ref);
    expect([discord.faults.hits(fault), discord.faults.hits(again)]).toEqual([before, TRIES]);
  });
});

describe('a question that waits where what was missed cannot be read yet', () => {
  /** A question that the bot was in the middle of when it ended. */
  async function aWaitingQuestion(): Promise<Ref> {
    // Nothing is shown of its answer, since what is shown would have to be looked for.
    world.model.respond = () => stream({ wait: forever });
    await world.start();
    const asked = world.mention(world.ada, world.channel, 'how old are you');
    await expect.poll(() => world.openai.chats().length).toBe(1);
    await world.stop(0);
    world.model.respond = () => undefined;
    return asked;
  }

  it('is not answered before, since it may be deleted', async () => {
    const { discord, openai, channel } = world;
    discord.deleteMessage(await aWaitingQuestion());
    const fault = unreadable(channel, TRIES);
    await world.start();
    await met(fault, TRIES);
    await expect.poll(() => world.running().chatbot.sessions.pendingSessions()).toEqual([]);
    expect([openai.chats().length, await kept(channel)]).toEqual([1, []]);
  });

  it('is not answered while the channel is being read, however long that takes', async () => {
    const { discord, openai, channel } = world;
    discord.deleteMessage(await aWaitingQuestion());
    let release = () => {};
    const read = new Promise<void>((resolve) => {
      armFaults((point) => {
        if (point !== 'catch-up:read') return undefined;
        resolve();
        return new Promise((go) => {
          release = go;
        });
      });
    });
    await world.start();
    await read;
    // Turns are looked for every 100 ms here.
    await pause(500);
    armFaults(null);
    release();
    await expect.poll(() => world.running().chatbot.sessions.pendingSessions()).toEqual([]);
    expect([openai.chats().length, await kept(channel)]).toEqual([1, []]);
  });

  it('is answered as soon as it can be', async () => {
    const { discord, channel } = world;
    const asked = await aWaitingQuestion();
    const fault = unreadable(channel, TRIES);
    await world.start();
    const isWhole = ({ content }: { content: string }) => content.startsWith('You said');
    await discord.replyTo(asked, isWhole);
    expect(discord.faults.hits(fault)).toBe(TRIES);
  });

  it('is answered together with one that is asked meanwhile', async () => {
    const { discord, channel, openai } = world;
    await aWaitingQuestion();
    const fault = unreadable(channel, Number.POSITIVE_INFINITY);
    await world.start();
    await met(fault, 1);
    await world.ask('and where do you live');
    expect(promptText(openai.chats().at(-1) as never)).toContain('how old are you');
    discord.faults.remove(fault);
  });
});

/** Starts the bot while the past of the room cannot be read yet, and has one thing asked meanwhile. */
async function askMeanwhile(text: string) {
  const { discord, channel, ada } = world;
  const path = `/channels/${channel.id}/messages`;
  const past = discord.faults.add({ method: 'GET', path }, { kind: 'hold', when: 'before' });
  await world.start();
  await met(past, 1);
  const asked = world.mention(ada, channel, text);
  await discord.replyTo(asked, isOver);
  return { asked, release: () => discord.faults.release(past) };
}

describe('what went again while the past was still to be read', () => {
  it('does not come back with it: a session that was forgotten stays empty', async () => {
    const { discord, channel, guild } = world;
    await world.start();
    await world.ask('said before');
    await world.stop();
    const { release } = await askMeanwhile('said meanwhile');
    const mod = discord.addUser({ name: 'Mod' });
    discord.addMember(guild, mod, { permissions: ['ManageChannels'] });
    const question = await discord.command(mod, channel, 'memory forget', { what: 'session' }).reply();
    const pressed = discord.click(mod, question, buttonId(question, en.forget.yes));
    await pressed.reply(({ content }) => content !== question.content);
    release();
    await world.ask('said afterwards');
    await expect.poll(() => kept(channel)).toEqual(['said afterwards', 'You said: said afterwards']);
  });

  it('is not answered twice: a retention of no days has taken the question', async () => {
    await world.close();
    world = await openInProcessWorld({ options: { retentionDays: 0 } });
    const { discord, channel, guild } = world;
    const { chatbot } = await world.start();
    await chatbot.set(`server:${guild.id}`, 'strategy', { name: 'window', k: 0, unit: 'messages' });
    await world.ask('said before');
    await world.stop();
    const { asked, release } = await askMeanwhile('said meanwhile');
    await expect.poll(() => kept(channel)).toEqual(['You said: said meanwhile']);
    release();
    await world.ask('said afterwards');
    const replies = discord.botMessagesIn(channel).filter((reply) => reply.message_reference?.message_id === asked.id);
    expect(replies).toHaveLength(1);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { en } from '../../src/words/en.js';
import { checkPromises } from '../support/check-promises.js';
import { forever, stream } from '../support/fake-openai/scripts.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';
import { answerByMarks, atRest, failAt } from './loop.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld();
  answerByMarks(world);
});
afterEach(() => world.close());

async function broken(channels: { id: string }[]): Promise<string[]> {
  await atRest(world);
  await world.stop();
  return checkPromises({ ...world, channels, log: JSON.stringify(world.log) });
}

/** A model that begins to answer and never ends. */
function hang(): void {
  world.model.respond = () => stream('Well,', { wait: forever });
}

describe('the end of the program', () => {
  it('parks what is being answered and what waits, and the next start answers all of it once', async () => {
    const { discord, guild, ada } = world;
    await world.start();
    hang();
    const channels = Array.from({ length: 4 }, () => discord.addChannel(guild));
    const running = channels.map((channel, i) => world.mention(ada, channel, `please k${i}n1q`));
    await Promise.all(running.map((question) => discord.replyTo(question)));
    const waiting = channels.map((channel, i) => world.mention(ada, channel, `and k${i}n2q`));
    await discord.journal.waitUntil(() =>
      channels.every((channel) => discord.messagesIn(channel).some(({ reactions = [] }) => reactions.length > 0)),
    );
    await world.stop(50);
    answerByMarks(world);
    await world.start();
    await Promise.all(waiting.map((question) => discord.replyTo(question, ({ content }) => content.includes('asked'))));
    expect(await broken(channels)).toEqual([]);
  });

  it('keeps every promise whichever of its steps throws', async () => {
    const { discord, guild, ada } = world;
    const channels = [];
    for (let n = 1; ; n += 1) {
      const channel = discord.addChannel(guild);
      channels.push(channel);
      await world.start();
      hang();
      const question = world.mention(ada, channel, `please k${n}n1q`);
      await discord.replyTo(question);
      const armed = failAt(n, 'throw');
      await world.stop(0);
      armed.release();
      answerByMarks(world);
      await world.start();
      await discord.replyTo(question, ({ content }) => content.includes('asked'));
      await atRest(world);
      await world.stop();
      if (armed.hit === null) break;
    }
    await world.start();
    expect(await broken(channels)).toEqual([]);
  });

  it('that lasts too long lets a parked question expire with a notice, its answer deleted', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    hang();
    const question = world.mention(ada, channel, 'please k1n1q');
    const begun = await discord.replyTo(question);
    await world.stop(0);
    answerByMarks(world);
    world.time.ahead = 11 * 60_000;
    await world.start();
    expect((await discord.replyTo(question, ({ id }) => id !== begun.id)).content).toBe(en.chat.expired);
    await atRest(world);
    expect(discord.botMessagesIn(channel).map(({ content }) => content)).toEqual([en.chat.expired]);
    expect(await broken([channel])).toEqual([]);
  });
});

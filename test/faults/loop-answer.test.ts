import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkPromises } from '../support/check-promises.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';
import { answerByMarks, atRest, faultLoop } from './loop.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld();
  answerByMarks(world);
  await world.start();
});
afterEach(() => world.close());

describe('taking in a question and answering it', () => {
  it('keeps every promise whichever step throws, one after the other until none is left', async () => {
    const channels = [];
    const loop = faultLoop('throw');
    for (let n = 1, armed = loop.next(); armed !== null; n += 1, armed = loop.next()) {
      const channel = world.discord.addChannel(world.guild);
      channels.push(channel);
      const question = world.mention(world.ada, channel, `please k${n}n1q`);
      await Promise.race([armed.struck, world.discord.replyTo(question, ({ content }) => content.endsWith('asked.'))]);
      await world.discord.replyTo(question);
      await atRest(world);
      armed.release();
    }
    for (const point of ['append:committed', 'plan:before-commit', 'reply:posted', 'turn:stored', 'settle:committed']) {
      expect(loop.struck).toContain(`${point} 1`);
    }
    await world.stop();
    expect(checkPromises({ ...world, channels, log: JSON.stringify(world.log) })).toEqual([]);
  });

  it('keeps every promise whichever step stalls, while others are answered and more is asked', async () => {
    const channels = [];
    const loop = faultLoop('stall');
    for (let n = 1, armed = loop.next(); armed !== null; n += 1, armed = loop.next()) {
      const [channel, other] = [world.discord.addChannel(world.guild), world.discord.addChannel(world.guild)];
      channels.push(channel, other);
      const question = world.mention(world.ada, channel, `please k${n}n1q`);
      const answered = world.discord.replyTo(question, ({ content }) => content.endsWith('asked.'));
      await Promise.race([armed.struck, answered.then(() => atRest(world))]);
      if (armed.hit === null) {
        armed.release();
        continue;
      }
      const more = world.mention(world.ada, channel, `and k${n}n2q`);
      await world.ask(`elsewhere k${1_000 + n}n1q`, other);
      armed.release();
      await Promise.all([answered, world.discord.replyTo(more)]);
      await atRest(world);
    }
    expect(loop.struck.size).toBeGreaterThan(4);
    await world.stop();
    expect(checkPromises({ ...world, channels, log: JSON.stringify(world.log) })).toEqual([]);
  });
});

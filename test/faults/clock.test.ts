import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';
import { answerByMarks, atRest } from './loop.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld();
  answerByMarks(world);
  await world.start();
  await world.ask('please k1n1q');
  await atRest(world);
});
afterEach(() => world.close());

const MINUTE = 60_000;

/** Resolves when a message was passed over as too old. */
async function passedOver({ id }: { id: string }): Promise<void> {
  const { discord, channel } = world;
  await discord.journal.waitUntil(() =>
    discord.messagesIn(channel).some((message) => message.id === id && (message.reactions ?? []).length > 0),
  );
}

const doubts = () => world.log.filter(({ level, message }) => level === 'warn' && message.includes('NTP'));

describe('a clock of the host that is fast', () => {
  it('is named once as the probable reason why live questions are passed over', async () => {
    const { channel, ada } = world;
    world.time.ahead = 11 * MINUTE;
    await passedOver(world.mention(ada, channel, 'k1n2q'));
    await passedOver(world.mention(ada, channel, 'k1n3q'));
    expect(doubts()).toHaveLength(1);
    expect(doubts()[0]?.fields.ageMs).toBeGreaterThan(10 * MINUTE);
    world.time.ahead += 61 * MINUTE;
    await passedOver(world.mention(ada, channel, 'k1n4q'));
    expect(doubts()).toHaveLength(2);
  });

  it('is not suspected for what was missed while the bot was off', async () => {
    const { channel, ada } = world;
    await world.stop();
    const missed = world.mention(ada, channel, 'k1n2q');
    world.time.ahead = 11 * MINUTE;
    await world.start();
    await passedOver(missed);
    expect(doubts()).toEqual([]);
  });
});

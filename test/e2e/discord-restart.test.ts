import { expect, it } from 'vitest';
import { openProcessWorld } from './process-world.js';

it('answers what is asked right after a restart, once an answer from before is settled', async () => {
  const world = await openProcessWorld();
  try {
    const bot = await world.start({ KEEPSAKE_FAULT: 'turn:delivered kill 1' });
    const [ada, channel] = [world.addMember('Ada'), world.addChannel()];
    const before = world.mention(ada, channel, 'shown, but not settled');
    await bot.ended;
    await world.start();
    const after = await world.ask('asked right after the restart', channel, ada);
    expect(after.content).toContain('asked right after the restart');
    expect(world.discord.botMessagesIn(channel)).toHaveLength(2);
    expect((await world.answerTo(before)).content).toBe('You said: shown, but not settled');
  } finally {
    await world.close();
  }
});

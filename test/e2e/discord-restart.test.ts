import { expect, it } from 'vitest';
import { openStage } from './stage.js';

it('answers what is asked right after a restart, although an answer from before is settled first', async () => {
  const stage = await openStage();
  try {
    const bot = await stage.start({ KEEPSAKE_FAULT: 'turn:delivered kill 1' });
    const [ada, room] = [stage.person('Ada'), stage.room()];
    const before = stage.mention(ada, room, 'shown, but not settled');
    await bot.ended;
    await stage.start();
    const after = await stage.ask(ada, room, 'asked right after the restart');
    expect(after.content).toContain('asked right after the restart');
    expect(stage.discord.botMessagesIn(room)).toHaveLength(2);
    expect((await stage.answerTo(before)).content).toBe('You said: Ada: shown, but not settled');
  } finally {
    await stage.close();
  }
});

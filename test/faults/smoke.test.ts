import { expect, it } from 'vitest';
import { openWorld } from '../support/in-process-bot.js';

it('answers', async () => {
  const world = await openWorld();
  await world.start();
  const reply = await world.ask('hello there');
  expect(reply.content).toBe('You said: hello there');
  await world.stop();
  console.log(world.log);
  await world.close();
});

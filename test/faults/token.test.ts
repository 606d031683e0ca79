import { afterEach, expect, it } from 'vitest';
import { checkPromises } from '../support/check-promises.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';
import { answerByMarks, atRest } from './loop.js';

let world: InProcessWorld;
afterEach(() => world.close());

it('a token refused while the bot runs ends it with a line; what was asked is answered later', async () => {
  world = await openInProcessWorld();
  answerByMarks(world);
  const { discord, channel, ada } = world;
  await world.start();
  await world.ask('please k1n1q');
  const refused = discord.faults.add(
    { method: 'POST', path: new RegExp(`/channels/${channel.id}/messages`, 'u'), times: Number.POSITIVE_INFINITY },
    { kind: 'status', status: 401, body: { code: 0, message: '401: Unauthorized' } },
  );
  const question = world.mention(ada, channel, 'please k1n2q');
  const ended = await world.running().bot.ended;
  expect(ended).toMatchObject({ code: 'config', message: expect.stringContaining('refused the token') });
  expect(ended.message).not.toContain('\n');
  const mark = discord.journal.mark();
  await world.stop(0);
  // A typing indicator may have been on its way already.
  const later = discord.journal.rest({ since: mark }).filter(({ path }) => !path.endsWith('/typing'));
  expect(later).toEqual([]);
  expect(discord.faults.hits(refused)).toBe(1);
  discord.faults.clear();
  await world.start();
  await discord.replyTo(question);
  await atRest(world);
  await world.stop();
  expect(checkPromises({ ...world, channels: [channel], log: JSON.stringify(world.log) })).toEqual([]);
});

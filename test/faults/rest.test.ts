import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPromises } from '../support/check-promises.js';
import type { FakeChannel } from '../support/fake-discord/index.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';
import { answerByMarks, atRest } from './loop.js';

let world: InProcessWorld;
const channels: FakeChannel[] = [];
beforeAll(async () => {
  world = await openInProcessWorld();
  answerByMarks(world);
  await world.start();
});
afterAll(async () => {
  await world.stop();
  const faults = checkPromises({ ...world, channels, log: JSON.stringify(world.log) });
  await world.close();
  expect(faults).toEqual([]);
});

/** A channel of its own for each test, so that no mute of another one counts. */
function aRoom(): FakeChannel {
  const room = world.discord.addChannel(world.guild);
  channels.push(room);
  return room;
}

/** How often a turn was parked. */
const waits = () => world.log.filter(({ message }) => message.startsWith('turn parked')).length;

const posts = (room: { id: string }) => ({ method: 'POST', path: `/channels/${room.id}/messages` });

describe('a request of the bot', () => {
  it('is done, but its answer is lost: one message stands there', async () => {
    const room = aRoom();
    const lost = world.discord.faults.add({ ...posts(room), times: 2 }, { kind: 'lose-answer', how: 'reset' });
    await world.ask('please k1n1q', room);
    expect(world.discord.faults.hits(lost)).toBe(2);
    expect(world.discord.botMessagesIn(room)).toHaveLength(1);
  });

  it('fails twice and then works: it is sent once', async () => {
    const room = aRoom();
    world.discord.faults.add({ ...posts(room), times: 2 }, { kind: 'status', status: 500 });
    await world.ask('please k2n1q', room);
    expect(world.discord.botMessagesIn(room)).toHaveLength(1);
    expect(world.discord.postsIn(room)).toHaveLength(3);
  });

  it('fails for a long time: the answer waits, is sent once, and the model is not asked again', async () => {
    const room = aRoom();
    const outage = world.discord.faults.add({ ...posts(room), times: 9 }, { kind: 'status', status: 503 });
    const question = world.mention(world.ada, room, 'please k3n1q');
    await world.discord.replyTo(question, ({ content }) => content.includes('asked'));
    await atRest(world);
    expect(world.discord.faults.hits(outage)).toBe(9);
    expect(world.discord.botMessagesIn(room)).toHaveLength(1);
  });

  it.each(['user', 'shared', 'global'] as const)(
    'meets a limit of scope %s: it waits as told, and others go on',
    async (scope) => {
      const [room, other] = [aRoom(), aRoom()];
      const place = 10 + channels.length;
      world.discord.faults.add(posts(room), { kind: 'rate-limited', scope, retryAfter: 0.5 });
      const question = world.mention(world.ada, room, `please k${place}n1q`);
      if (scope !== 'global') await world.ask(`please k${place + 100}n1q`, other);
      await world.discord.replyTo(question);
      const [refused, repeated] = world.discord.postsIn(room);
      expect((repeated?.at ?? 0) - (refused?.endedAt ?? 0)).toBeGreaterThanOrEqual(490);
      const within = ({ at }: { at: number }) => at > (refused?.endedAt ?? 0) && at < (refused?.endedAt ?? 0) + 490;
      const early = world.discord.journal.rest().filter(within);
      expect(
        early.filter(({ path, method }) => scope === 'global' || (method === 'POST' && path === posts(room).path)),
      ).toEqual([]);
    },
  );

  it('meets a limit that names no time: it is tried again after a pause of our own', async () => {
    const room = aRoom();
    world.discord.faults.add(posts(room), { kind: 'cloudflare' });
    await world.ask('please k4n1q', room);
    expect(world.discord.postsIn(room)).toHaveLength(2);
  });

  it('finds nobody listening for a while: what is to be said is kept, and said once', async () => {
    const room = aRoom();
    await world.ask('please k5n1q', room);
    await world.discord.rest.refuse();
    const question = world.mention(world.ada, room, 'please k5n2q');
    const before = waits();
    while (waits() === before) await pause(10);
    await world.discord.rest.accept();
    await world.discord.replyTo(question);
    await atRest(world);
    expect(world.discord.botMessagesIn(room)).toHaveLength(2);
  });
});

describe('a channel that refuses', () => {
  const REFUSALS = [
    [403, 50001],
    [403, 50013],
    [404, 10003],
    [403, 50007],
    [400, 50083],
    [400, 160005],
  ] as const;

  it.each(REFUSALS)(
    'with %i and code %i is left alone, without another request or another call of the model',
    async (status, code) => {
      const room = world.discord.addChannel(world.guild);
      await world.ask(`please k${code}n1q`, room);
      const refusal = { kind: 'status' as const, status, body: { code, message: 'no' } };
      world.discord.faults.add({ ...posts(room), times: Number.POSITIVE_INFINITY }, refusal);
      const before = { posts: world.discord.postsIn(room).length, calls: world.openai.chats().length };
      world.mention(world.ada, room, `please k${code}n2q`);
      await world.discord.journal.waitUntil(() => world.discord.postsIn(room).length > before.posts);
      await atRest(world);
      for (let i = 3; i < 13; i += 1) world.mention(world.ada, room, `please k${code}n${i}q`);
      await world.ask(`please k${code + 1}n1q`, world.discord.addChannel(world.guild));
      await atRest(world);
      expect(world.discord.postsIn(room).length - before.posts).toBe(1);
      expect(world.openai.chats().length - before.calls).toBe(2);
    },
  );

  it('one answer for what it says is left for others to be answered in, and its asker is told', async () => {
    const room = aRoom();
    await world.ask('please k200000n1q', room);
    let second: { id: string } | undefined;
    const blocked = ({ body }: { body: unknown }) => {
      const text = JSON.stringify(body);
      return second !== undefined && text.includes(second.id) && text.includes('Reply');
    };
    world.discord.faults.add(
      { ...posts(room), where: blocked, times: Number.POSITIVE_INFINITY },
      { kind: 'status', status: 400, body: { code: 200000, message: 'no' } },
    );
    second = world.mention(world.ada, room, 'please k200000n2q');
    const told = await world.discord.replyTo(second, ({ content }) => content.includes('AutoMod'));
    await world.ask('please k200000n3q', room);
    await atRest(world);
    expect(world.discord.botMessagesIn(room)).toHaveLength(3);
    expect(told.components).toEqual([]);
  });
});

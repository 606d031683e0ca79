import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld();
});
afterEach(() => world.close());

type Ref = { id: string };

const DAY = 86_400_000;
const NOTHING = { messages: [], settings: [] };
const idOf = ({ id }: Ref) => `discord:${id}`;

/** What is kept of a channel or thread: what was said, and what is set there. */
async function kept(place: Ref): Promise<{ messages: string[]; settings: string[] }> {
  const { store } = world.running();
  const { messages } = await store.loadHistory(idOf(place), { summary: true });
  const settings = await store.loadSettings([idOf(place)]);
  return { messages: messages.map(({ text }) => text), settings: settings.map(({ key }) => key) };
}

/** A channel and a thread in it, both with something to remember; the thread is archived, so that Discord does not list it. */
async function twoPlaces(): Promise<{ channel: Ref; thread: Ref }> {
  const { discord, channel, ada } = world;
  await world.start();
  const thread = discord.addThread(channel, { owner: ada });
  for (const place of [channel, thread]) {
    await world.ask('hello', place);
    await world.running().chatbot.set(idOf(place), 'language', 'de');
    await expect.poll(() => kept(place)).toMatchObject({ messages: { length: 2 } });
  }
  discord.archiveThread(thread);
  return { channel, thread };
}

/** Resolves once all that the gateway told before was worked on. */
async function settled(): Promise<void> {
  const sentinel = world.discord.addChannel(world.guild);
  for (let turns = 0; turns < 2; turns += 1) await world.ask('are you there', sentinel);
}

describe('a channel that was deleted while the bot was off', () => {
  it('is forgotten at the next start, as are the threads in it', async () => {
    const { channel, thread } = await twoPlaces();
    await world.stop();
    world.discord.deleteChannel(channel);
    await world.start();
    for (const place of [channel, thread]) await expect.poll(() => kept(place)).toEqual(NOTHING);
  });

  it('is forgotten also where only reading it tells so', async () => {
    const { channel } = await twoPlaces();
    await world.stop();
    const unknown = { kind: 'status' as const, status: 404, body: { code: 10003, message: 'Unknown Channel' } };
    world.discord.faults.add({ method: 'GET', path: `/channels/${channel.id}/messages` }, unknown);
    await world.start();
    await expect.poll(() => kept(channel)).toEqual(NOTHING);
  });

  it.each([
    ['it may not be seen', 403, 50001],
    ['its server is not known', 404, 10004],
    ['Discord is in trouble', 500, 0],
  ])('is not one where %s', async (_, status, code) => {
    const { discord } = world;
    const { channel, thread } = await twoPlaces();
    await world.stop();
    const times = Number.POSITIVE_INFINITY;
    const fault = { kind: 'status' as const, status, body: { code, message: 'no' } };
    const refused = discord.faults.add({ method: 'GET', path: `/channels/${thread.id}`, times }, fault);
    const { bot } = await world.start();
    await bot.removeGone();
    await expect.poll(() => discord.faults.hits(refused)).toBeGreaterThanOrEqual(2);
    await settled();
    for (const place of [channel, thread]) expect((await kept(place)).messages).toHaveLength(2);
  });

  it('is found by the tidying when it was silent for so long that nothing is read there', async () => {
    const { channel, thread } = await twoPlaces();
    await world.stop();
    world.discord.deleteThread(thread);
    world.time.ahead += 8 * DAY;
    world.discord.clock.advance(8 * DAY);
    const { bot } = await world.start();
    await settled();
    expect((await kept(thread)).messages).toHaveLength(2);
    await bot.removeGone();
    expect(await kept(thread)).toEqual(NOTHING);
    expect((await kept(channel)).messages).toHaveLength(2);
  });

  it('is found sooner or later however many there are, a few at a time', async () => {
    const { guild } = world;
    const { bot, store } = await world.start();
    for (let id = 100; id < 160; id += 1)
      await store.openSession({ id: idOf({ id: `${id}` }), parentId: null, serverId: guild.id });
    const left = async () => (await store.sessionsOfServer(guild.id)).length;
    const asked = () => world.discord.journal.rest().filter(({ path }) => /^\/channels\/1\d\d$/u.test(path)).length;
    await bot.removeGone();
    expect([await left(), asked()]).toEqual([10, 50]);
    await bot.removeGone();
    expect([await left(), asked()]).toEqual([0, 60]);
  });

  it('stays where the bot was removed from the server meanwhile: that has its time of grace', async () => {
    const { guild, discord } = world;
    const { channel, thread } = await twoPlaces();
    await world.stop();
    discord.removeGuild(guild);
    const unknown = { kind: 'status' as const, status: 404, body: { code: 10003, message: 'Unknown Channel' } };
    const fault = discord.faults.add({ method: 'GET', path: `/channels/${thread.id}`, times: 9 }, unknown);
    const { bot } = await world.start();
    await bot.removeGone();
    await expect.poll(() => discord.faults.hits(fault)).toBeGreaterThan(0);
    expect((await kept(channel)).messages).toHaveLength(2);
    expect((await kept(thread)).messages).toHaveLength(2);
  });
});

describe('a thread that is deleted while its first message is being taken in', () => {
  it.each(['the thread', 'its channel'])('leaves nothing behind (%s was deleted)', async (what) => {
    const { discord, guild, ada } = world;
    const channel = discord.addChannel(guild);
    // Opened before the start, so that the bot has to ask for the message that it was opened from.
    const thread = discord.addThread(channel, { owner: ada, from: discord.say(ada, channel, 'the plan of the shed') });
    const { store } = await world.start();
    const path = `/channels/${channel.id}/messages/${thread.id}`;
    const held = discord.faults.add({ method: 'GET', path }, { kind: 'hold', when: 'before' });
    world.mention(ada, thread, 'which colour');
    await expect.poll(() => discord.faults.hits(held)).toBe(1);
    discord.deleteChannel(what === 'the thread' ? thread : channel);
    await settled();
    discord.faults.release(held);
    await settled();
    expect(await kept(thread)).toEqual(NOTHING);
    expect((await store.sessionsOfServer(guild.id)).map(({ id }) => id)).not.toContain(idOf(thread));
    await expect.poll(() => store.pendingSessions()).toEqual([]);
  });
});

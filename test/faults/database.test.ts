import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { en } from '../../src/words/en.js';
import { addMigration, someMigrations } from '../storage/files.js';
import { checkPromises } from '../support/check-promises.js';
import { aMessage } from '../support/conversation.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';
import { answerByMarks, atRest, failAt } from './loop.js';

let world: InProcessWorld;
afterEach(() => world.close());

async function broken(...channels: { id: string }[]): Promise<string[]> {
  await atRest(world);
  await world.stop();
  return checkPromises({ ...world, channels, log: JSON.stringify(world.log) });
}

/** Stores messages of a size until there is no room for another. */
async function fill({ running }: InProcessWorld, sessionId: string, size: number): Promise<void> {
  for (let i = 0; i < 2_000; i += 1) {
    const stored = await running()
      .store.append(aMessage({ sessionId, text: 'x'.repeat(size) }))
      .catch(() => null);
    if (stored === null) return;
  }
  throw new Error('the disk was never full');
}

describe('the database', () => {
  it('has no room left: it says so, loses nothing, and goes on by itself once there is room', async () => {
    world = await openInProcessWorld({ store: { maxPages: 160 } });
    answerByMarks(world);
    const { discord, channel, ada, guild } = world;
    await world.start();
    const ballast = discord.addChannel(guild);
    await world.ask('please k1n1q');
    const ballastId = `discord:${ballast.id}`;
    for (const size of [50_000, 2_000, 10]) await fill(world, ballastId, size);
    const question = world.mention(ada, channel, `please ${'y'.repeat(1_800)} k1n2q`);
    expect((await discord.replyTo(question)).content).toContain(en.errors['disk-full']);
    await world.running().store.forgetSession(ballastId);
    expect((await world.ask('please k1n3q')).content).toContain('asked');
    await atRest(world);
    const { messages } = await world.running().store.loadHistory(`discord:${channel.id}`, { summary: true });
    expect(messages.filter(({ role }) => role === 'user').map(({ text }) => text.slice(-5))).toContain('k1n3q');
    expect(await broken(channel)).toEqual([]);
  });

  it('is held by another program for a moment: the message is stored, and nobody notices', async () => {
    world = await openInProcessWorld({ store: { busyTimeout: 20 } });
    answerByMarks(world);
    await world.start();
    await world.ask('please k1n1q');
    const other = new Sqlite(world.path);
    other.exec('BEGIN IMMEDIATE');
    const question = world.mention(world.ada, world.channel, 'please k1n2q');
    await pause(150);
    other.exec('COMMIT');
    other.close();
    expect((await world.discord.replyTo(question)).content).toContain('k1n2r');
    expect(await broken(world.channel)).toEqual([]);
  });

  it('is held for longer: that is said, and what could not be stored is not acknowledged', async () => {
    world = await openInProcessWorld({ store: { busyTimeout: 20 } });
    answerByMarks(world);
    await world.start();
    await world.ask('please k1n1q');
    const other = new Sqlite(world.path);
    other.exec('BEGIN IMMEDIATE');
    const told = await world.discord.replyTo(world.mention(world.ada, world.channel, 'please k1n2q'));
    expect(told.content).toContain(en.errors.locked);
    other.exec('COMMIT');
    other.close();
    await world.ask('please k1n3q');
    expect(await broken(world.channel)).toEqual([]);
  });

  it('stays as before when a step of its migration throws, and the next start succeeds', async () => {
    world = await openInProcessWorld();
    answerByMarks(world);
    await world.start();
    await world.ask('please k1n1q');
    await world.stop();
    const migrationsFolder = someMigrations();
    addMigration(migrationsFolder, '9000_more', ['CREATE TABLE more (id integer)']);
    for (let n = 1; ; n += 1) {
      const armed = failAt(n, 'throw');
      const opened = await openStore(world.path, { migrationsFolder }).catch(() => null);
      armed.release();
      await opened?.close();
      if (armed.hit === null) break;
      expect(opened).toBeNull();
    }
    await world.start({ store: { migrationsFolder } });
    await world.ask('please k1n2q');
    expect(await broken(world.channel)).toEqual([]);
  });
});

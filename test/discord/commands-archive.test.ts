import type { APIMessage } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../src/words/en.js';
import { aMessage, mustAppend } from '../support/conversation.js';
import { type CommandWorld, openCommandWorld, type Room } from './command-world.js';

let world: CommandWorld;
beforeAll(async () => {
  world = await openCommandWorld();
});
afterAll(() => world.close());

async function filesOf({ attachments }: APIMessage): Promise<Record<string, string>> {
  const read = attachments.map(async ({ filename, url }) => [
    filename.split('.').at(-1) ?? '',
    await (await fetch(url)).text(),
  ]);
  return Object.fromEntries(await Promise.all(read));
}

const asFile = (content: string, name = 'memory.jsonl') => ({ name, bytes: Buffer.from(content) });

async function talkIn({ session }: Room, ...texts: string[]): Promise<void> {
  await world.store.openSession(session);
  for (const text of texts) await mustAppend(world.store, aMessage({ sessionId: session.id, text }));
}

const textsIn = async ({ session }: Room) =>
  (await world.store.loadHistory(session.id, { summary: false })).messages.map(({ text }) => text);

describe('/memory export and /memory import', () => {
  it('move a memory from one channel to another, in private', async () => {
    const from = world.addRoom();
    await talkIn(from, 'first', 'second');
    const given = world.discord.command(world.addPerson(from, 'ada'), from.channel, 'memory export');
    const reply = await given.reply();
    expect(given.record().ephemeral).toBe(true);
    expect(reply.content).toBe(en.archive.sent(2));
    const files = await filesOf(reply);
    expect(files.md).toContain('> first');
    const to = world.addRoom();
    const mod = world.addPerson(to, 'mod', 'ManageChannels');
    const taken = world.discord.command(mod, to.channel, 'memory import', { file: asFile(files.jsonl ?? '') });
    expect((await taken.reply()).content.split('\n')).toEqual([
      en.archive.imported(2, 0),
      en.archive.strategyWas('`summary-buffer max_tokens:3000 keep_tokens:1500 max_summary_tokens:400`'),
    ]);
    expect(taken.record().ephemeral).toBe(true);
    expect(await textsIn(to)).toEqual(['first', 'second']);
  });

  it('say so where there is nothing to export', async () => {
    const room = world.addRoom();
    const given = world.discord.command(world.addPerson(room, 'ada'), room.channel, 'memory export');
    expect((await given.reply()).content).toBe(en.archive.nothing);
  });

  it('send no file that is larger than may be sent', async () => {
    const room = world.addRoom();
    await talkIn(room, ...Array.from({ length: 9 }, () => 'x'.repeat(1_000_000)));
    const given = world.discord.command(world.addPerson(room, 'ada'), room.channel, 'memory export');
    const reply = await given.reply();
    expect([reply.content, reply.attachments]).toEqual([en.archive.tooLarge, []]);
  });

  it('need the right to see, and the right to manage, the channel', async () => {
    const room = world.addRoom();
    await talkIn(room, 'here');
    const ben = world.addPerson(room, 'ben');
    const refused = world.discord.command(ben, room.channel, 'memory import', { file: asFile('{}') });
    expect((await refused.reply()).content).toBe(en.refusals.needsRight('Manage Channels'));
    expect(await textsIn(room)).toEqual(['here']);
  });

  it('never overwrite what is remembered', async () => {
    const room = world.addRoom();
    await talkIn(room, 'here');
    const mod = world.addPerson(room, 'mod', 'ManageChannels');
    const files = await filesOf(await world.discord.command(mod, room.channel, 'memory export').reply());
    const refused = world.discord.command(mod, room.channel, 'memory import', { file: asFile(files.jsonl ?? '') });
    expect((await refused.reply()).content).toBe(en.archive.occupied);
    expect(await textsIn(room)).toEqual(['here']);
  });

  it('name the line that is wrong in a file, and do not read one that is too large', async () => {
    const room = world.addRoom();
    const mod = world.addPerson(room, 'mod', 'ManageChannels');
    const broken = world.discord.command(mod, room.channel, 'memory import', { file: asFile('no\n') });
    expect((await broken.reply()).content).toContain('line 1: is no JSON');
    const large = world.discord.command(mod, room.channel, 'memory import', { file: asFile('x'.repeat(5_000_001)) });
    expect((await large.reply()).content).toBe(en.archive.unread(5));
    expect(await textsIn(room)).toEqual([]);
  });
});

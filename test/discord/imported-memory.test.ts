import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archiveLine } from '../../src/conversation/archive.js';
import type { Session } from '../../src/conversation/session.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld();
});
afterEach(() => world.close());

type Ref = { id: string };

const TALK = ['the plan of the shed', 'You said: the plan of the shed'];

const sessionOf = ({ id }: Ref): Session => ({ id: `discord:${id}`, parentId: null, serverId: world.guild.id });

async function kept(place: Ref): Promise<string[]> {
  const { messages } = await world.running().store.loadHistory(`discord:${place.id}`, { summary: true });
  return messages.map(({ text }) => text);
}

/** Writes the memory of one channel to a file and reads it into another. */
async function move(from: Ref, into: Ref): Promise<void> {
  const { archives } = world.running().chatbot;
  await expect.poll(() => kept(from)).toEqual(TALK);
  let content = '';
  for await (const row of archives.export(sessionOf(from))) content += archiveLine(row);
  await archives.import(sessionOf(into), content);
}

describe('a memory that was imported into another channel', () => {
  it('is still there after the next start, as is what was said there since', async () => {
    const { discord, guild, channel } = world;
    await world.start();
    const other = discord.addChannel(guild);
    await world.ask('the plan of the shed');
    await move(channel, other);
    await world.stop();
    await world.start();
    await world.ask('which colour', other);
    await world.stop();
    const missed = world.mention(world.ada, other, 'are you there');
    await world.start();
    await discord.replyTo(missed);
    const since = ['which colour', 'You said: which colour', 'are you there', 'You said: are you there'];
    await expect.poll(() => kept(other)).toEqual([...TALK, ...since]);
  });

  it('leaves unread what stood in that channel before, and reads what comes while it is off', async () => {
    const { discord, guild, channel } = world;
    await world.start();
    const other = discord.addChannel(guild);
    await world.ask('the plan of the shed');
    await world.running().chatbot.set(`server:${guild.id}`, 'listen', 'all');
    await world.stop();
    discord.say(world.ada, other, 'before the import');
    await world.start();
    await move(channel, other);
    await world.stop();
    discord.say(world.ada, other, 'after the import');
    await world.start();
    await expect.poll(() => kept(other)).toEqual([...TALK, 'after the import']);
  });

  it('loses what is deleted there, and keeps what is deleted where it came from', async () => {
    const { discord, guild, channel } = world;
    await world.start();
    const other = discord.addChannel(guild);
    await world.ask('the plan of the shed');
    await move(channel, other);
    const gone = world.mention(world.ada, other, 'which colour');
    await discord.replyTo(gone, ({ components }) => (components ?? []).length === 0);
    await world.stop();
    for (const said of discord.messagesIn(channel)) discord.deleteMessage(said);
    discord.deleteMessage(gone);
    await world.start();
    await expect.poll(() => kept(other)).toEqual(TALK);
    await expect.poll(() => kept(channel)).toEqual([]);
  });
});

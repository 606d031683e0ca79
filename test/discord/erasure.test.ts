import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeChannel } from '../support/fake-discord/index.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';
import { promptText } from '../support/scripted-endpoint.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld();
});
afterEach(() => world.close());

/** A thread that was opened from a message, in which the bot was asked already. */
async function openThread(): Promise<{ starter: { id: string }; thread: FakeChannel }> {
  const { discord, channel, ada } = world;
  await world.start();
  const starter = discord.say(ada, channel, 'the plan is to paint the shed');
  const thread = discord.addThread(channel, { owner: ada, from: starter });
  await world.ask('which colour for it', thread);
  return { starter, thread };
}

/** Keeps the intake queue of the channel waiting for the file of an edited message; returns what lets it go on. */
async function holdChannel(): Promise<() => void> {
  const { discord, channel, ada } = world;
  const file = { name: 'notes.txt', bytes: Buffer.from('nails') };
  const listed = discord.say(ada, channel, 'a list', { attachments: [file] });
  const slow = discord.faults.add({ path: /^\/attachments\// }, { kind: 'hold', when: 'before' });
  discord.edit(listed, 'a longer list');
  await expect.poll(() => discord.faults.hits(slow)).toBe(1);
  return () => discord.faults.release(slow);
}

async function promptOf(question: string, thread: FakeChannel): Promise<string> {
  const { openai } = world;
  const requests = openai.chats().length;
  await world.ask(question, thread);
  const [asked] = openai.chats().slice(requests);
  return asked === undefined ? '' : promptText(asked);
}

describe('the message that a thread was opened from, while its channel waits for a slow file', () => {
  it('is unknown to the next question in the thread when it was deleted', async () => {
    const { starter, thread } = await openThread();
    const release = await holdChannel();
    world.discord.deleteMessage(starter);
    expect(await promptOf('what is the plan', thread)).not.toContain('the shed');
    release();
  });

  it('is known to the next question in the thread as it was edited', async () => {
    const { starter, thread } = await openThread();
    const release = await holdChannel();
    world.discord.edit(starter, 'the plan is to burn the shed');
    expect(await promptOf('what is the plan', thread)).toContain('burn the shed');
    release();
  });
});

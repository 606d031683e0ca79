import { afterEach, beforeEach, expect, it } from 'vitest';
import { dayOf } from '../../src/conversation/store.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';
import { promptText } from '../support/scripted-endpoint.js';
import { isOver } from '../support/world.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld();
});
afterEach(() => world.close());

it('a question waits for the file that it carries, though another is asked meanwhile', async () => {
  const { discord, openai, channel, ada } = world;
  await world.start();
  await world.ask('hello');
  const slow = discord.faults.add({ path: /^\/attachments\// }, { kind: 'hold', when: 'before' });
  const file = { name: 'notes.txt', bytes: Buffer.from('the shed is green') };
  world.mention(ada, channel, 'what does it say', { attachments: [file] });
  await expect.poll(() => discord.faults.hits(slow)).toBe(1);
  const ben = discord.addUser({ name: 'Ben' });
  const second = world.mention(ben, channel, 'and what do you think');
  const stored = async () =>
    (await world.running().store.unfinishedAnswer(`discord:${channel.id}`))?.turn.questions.length;
  await expect.poll(stored).toBe(2);
  const requests = openai.chats().length;
  discord.faults.release(slow);
  await discord.replyTo(second);
  const [asked] = openai.chats().slice(requests);
  expect(asked && promptText(asked)).toMatch(/what does it say\n\[file: notes\.txt, 1 KB\]\n *the shed is green/u);
  expect(openai.chats()).toHaveLength(requests + 1);
});

it('a person who has used up their own budget is told so, and who asked with them is answered', async () => {
  await world.close();
  world = await openInProcessWorld({ options: { ceilings: { server: null, person: 20_000 } } });
  const { discord, channel, ada, guild } = world;
  await world.start();
  const ben = discord.addUser({ name: 'Ben' });
  discord.addMember(guild, ben);
  const sessionId = `discord:${channel.id}`;
  const payer = { scopeId: `server:${guild.id}`, authorId: ben.id, sessionId, day: dayOf(Date.now()) };
  await world.running().store.settle(payer, 0, 20_000);
  await world.ask('hello');
  const slow = discord.faults.add({ path: /^\/attachments\// }, { kind: 'hold', when: 'before' });
  const file = { name: 'notes.txt', bytes: Buffer.from('the shed is green') };
  const hers = world.mention(ada, channel, 'from Ada', { attachments: [file] });
  await expect.poll(() => discord.faults.hits(slow)).toBe(1);
  const his = world.mention(ben, channel, 'from Ben');
  const stored = async () =>
    (await world.running().store.unfinishedAnswer(`discord:${channel.id}`))?.turn.questions.length;
  await expect.poll(stored).toBe(2);
  discord.faults.release(slow);
  const [answer, refusal] = await Promise.all([discord.replyTo(hers, isOver), discord.replyTo(his)]);
  // The model repeats the last line, which is that of her file.
  expect(answer.content).toBe('You said: the shed is green');
  expect(refusal.content).toMatch(/^Your tokens for today are used up/u);
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { en } from '../../src/words/en.js';
import { checkPromises } from '../support/check-promises.js';
import { failure, forever, stream } from '../support/fake-openai/scripts.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';
import { isFold } from '../support/scripted-endpoint.js';
import { isOver } from '../support/world.js';
import { answerByMarks, atRest } from './loop.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld();
  answerByMarks(world);
});
afterEach(() => world.close());

async function broken(): Promise<string[]> {
  await atRest(world);
  await world.stop();
  return checkPromises({ ...world, channels: [world.channel], log: JSON.stringify(world.log) });
}

describe('a model endpoint', () => {
  it('that fails on and on is given a rest, said once to a channel, and then tried again', async () => {
    const { discord, channel, ada } = world;
    await world.start();
    world.model.respond = () => failure(401, { message: 'bad key' });
    for (let i = 1; i <= 3; i += 1) expect((await world.ask(`please k1n${i}q`)).content).toBe(en.errors['bad-key']);
    const calls = world.openai.chats().length;
    const told = await world.ask('please k1n4q');
    expect(told.content).toBe(en.errors['bad-key']);
    const later = world.mention(ada, channel, 'please k1n5q');
    await discord.journal.waitUntil(() =>
      discord.messagesIn(channel).some(({ id, reactions = [] }) => id === later.id && reactions.length === 1),
    );
    expect(world.openai.chats()).toHaveLength(calls);
    expect(discord.botMessagesIn(channel)).toHaveLength(4);
    answerByMarks(world);
    world.time.ahead += 60_000;
    expect((await world.ask('please k1n6q')).content).toContain('asked');
    expect(await broken()).toEqual([]);
  });

  it.each([
    ['before its headers', { before: forever, steps: [] }],
    ['after its headers', stream({ wait: forever })],
    ['after its first words', stream('Half an', { wait: forever })],
  ])('that falls silent %s: the turn ends in time, and the asker sees how', async (_, script) => {
    await world.start({ options: { turnMs: 700 } });
    world.model.respond = () => script;
    const reply = await world.ask('please k1n1q');
    expect(reply.content).toContain(en.errors.timeout);
    expect(await broken()).toEqual([]);
  });

  it.each([
    ['nothing', stream({ finish: 'stop' })],
    ['thoughts only', stream('<think>secret k1n99q</think>', { finish: 'stop' })],
    ['reasoning only', stream({ delta: { reasoning_content: 'secret k1n99q' } }, { finish: 'stop' })],
  ])('that answers with %s: nothing empty is sent, and no thought is shown or stored', async (_, script) => {
    await world.start();
    world.model.respond = () => script;
    const reply = await world.ask('please k1n1q');
    expect(reply.content).toBe(en.errors['empty-answer']);
    const facts = await world.running().store.loadHistory(`discord:${world.channel.id}`, { summary: true });
    expect(JSON.stringify(facts)).not.toContain('secret');
    expect(await broken()).toEqual([]);
  });

  it.each([
    ['fails', failure(400, { message: 'no' })],
    ['says nothing', stream({ finish: 'stop' })],
    ['rambles', stream('word '.repeat(10_000), { finish: 'stop' })],
  ])('whose summariser %s: replies go on, and nothing is lost', async (_, script) => {
    const { chatbot, store } = await world.start();
    const session = { id: `discord:${world.channel.id}`, serverId: world.guild.id, parentId: null };
    await chatbot.setStrategy(session, session.id, 'summary-buffer', { max_messages: 4, keep_messages: 2 });
    const respond = world.model.respond;
    world.model.respond = (request) => (isFold(request) ? script : respond(request));
    for (let i = 1; i <= 5; i += 1) await world.ask(`please k1n${i}q`);
    await atRest(world);
    const { messages } = await store.sessionFacts(session.id);
    expect(messages).toBe(10);
    expect(world.discord.botMessagesIn(world.channel).every(isOver)).toBe(true);
    expect(await broken()).toEqual([]);
  });
});

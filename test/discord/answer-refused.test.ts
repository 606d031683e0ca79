import type { APIMessage } from 'discord.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { en } from '../../src/words/en.js';
import { answer, failure, stream } from '../support/fake-openai/index.js';
import { gate } from '../support/gate.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';
import { lastLine } from '../support/scripted-endpoint.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld();
  await world.start();
});
afterEach(() => world.close());

/** Discord refuses every message that holds a word. */
function refuse(word: string, code: number, status = 400): void {
  const holds = ({ method, body }: { method: string; body: unknown }) =>
    (method === 'POST' || method === 'PATCH') && JSON.stringify(body ?? '').includes(word);
  const refusal = { kind: 'status' as const, status, body: { code, message: 'no' } };
  world.discord.faults.add({ path: /\/messages/u, where: holds, times: Number.POSITIVE_INFINITY }, refusal);
}

const marksOf = ({ id }: { id: string }) =>
  (world.discord.messagesIn(world.channel).find((message) => message.id === id)?.reactions ?? []).map(
    ({ emoji }) => emoji.name,
  );

describe('an answer whose content Discord refuses', () => {
  it.each([
    [200000, en.reply.refused.blocked],
    [240000, en.reply.refused.rejected],
    [50035, en.reply.refused.rejected],
  ])('with %i is explained to who asked, and nobody else is the worse for it', async (code, sentence) => {
    const { discord, channel, ada } = world;
    refuse('forbidden', code);
    const question = world.mention(ada, channel, 'say forbidden');
    await discord.replyTo(question, ({ content }) => content === sentence);
    const ben = discord.addUser({ name: 'Ben' });
    expect((await world.ask('say something', channel, ben)).content).toBe('You said: say something');
    await expect.poll(() => world.running().chatbot.sessions.pendingSessions()).toEqual([]);
  });

  it('gets a mark where not even the explanation is taken', async () => {
    const { channel, ada } = world;
    refuse('', 200000);
    const question = world.mention(ada, channel, 'say forbidden');
    await expect.poll(() => marksOf(question)).toEqual(['\u{26A0}\u{FE0F}']);
  });

  it('and that was shown in part has no button any more, and says that it broke off', async () => {
    const { discord, channel, ada } = world;
    refuse('forbidden', 200000);
    const seen = gate();
    world.model.respond = () => stream('Half an', { wait: seen.opened }, ' answer is forbidden', { finish: 'stop' });
    const question = world.mention(ada, channel, 'say much');
    await discord.replyTo(question, ({ content }) => content === 'Half an');
    seen.open();
    const told = await discord.replyTo(question, ({ content }) => content === en.reply.refused.blocked);
    const [half, ...others] = discord.botMessagesIn(channel) as [APIMessage, ...APIMessage[]];
    expect([half.content, half.components]).toEqual([`Half an\n-# ${en.reply.brokenOff}`, []]);
    expect(others.map(({ id }) => id)).toEqual([told.id]);
  });

  it('is explained also where the history is hidden, so that nothing can be replied to', async () => {
    const { discord, channel, ada } = world;
    discord.setOverwrite(channel, { for: discord.botUser, deny: ['ReadMessageHistory'] });
    refuse('forbidden', 200000);
    world.mention(ada, channel, 'say forbidden');
    await discord.botMessage(channel, ({ content }) => content === en.reply.refused.blocked);
  });
});

it('marks a question whose answer the bot may not write', async () => {
  const { channel, ada } = world;
  refuse('', 50013, 403);
  const question = world.mention(ada, channel, 'say something');
  await expect.poll(() => marksOf(question)).toEqual(['\u{26A0}\u{FE0F}']);
});

it('says how a question failed once an outage of Discord is over', async () => {
  const { discord, channel, ada } = world;
  const [asked, away] = [gate(), gate()];
  world.model.respond = () => {
    asked.open();
    return stream({ wait: away.opened }, { finish: 'stop' });
  };
  const question = world.mention(ada, channel, 'say something');
  await asked.opened;
  await discord.rest.refuse();
  away.open();
  const refused = () => world.log.some(({ fields }) => fields.code === 'unreachable');
  await expect.poll(refused).toBe(true);
  await discord.rest.accept();
  expect((await discord.replyTo(question)).content).toBe(en.reply.refused.unreachable);
  world.model.respond = () => undefined;
  await world.ask('and now');
  expect(discord.botMessagesIn(channel)).toHaveLength(2);
});

it('says that the rest of a long answer could not be attached, and which right is missing', async () => {
  const { discord, channel, ada } = world;
  const text = Array.from({ length: 200 }, (_, i) => `line ${i} ${'y'.repeat(60)}`).join('\n');
  world.model.respond = (request) => (lastLine(request).includes('much') ? answer(text) : undefined);
  discord.setOverwrite(channel, { for: discord.botUser, deny: ['AttachFiles'] });
  world.mention(ada, channel, 'say very much');
  await discord.botMessage(channel, ({ content }) => content === en.reply.cannotAttach);
  expect(discord.botMessagesIn(channel)).toHaveLength(6);
  expect(en.reply.cannotAttach).toContain('Attach Files');
  expect((await world.ask('say little')).content).toBe('You said: say little');
  expect(world.log.filter(({ message }) => message === 'failed to show an answer')).toEqual([]);
});

it('tells of a failure of the model as ever', async () => {
  world.model.respond = () => failure(401, { code: 'invalid_api_key' });
  expect((await world.ask('say something')).content).toBe(en.errors['bad-key']);
});

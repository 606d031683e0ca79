import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { armFaults } from '../../src/fault.js';
import { forever, stream } from '../support/fake-openai/index.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';

let world: InProcessWorld;
beforeEach(async () => {
  // So that turns are looked for only once what was missed was read, however slow this machine is.
  world = await openInProcessWorld({ bot: { retryMs: 30_000 } });
});
afterEach(() => world.close());

type Ref = { id: string };

/** What stands in the room of the bot. */
const shown = () => world.discord.botMessagesIn(world.channel).map(({ content }) => content);
const idOf = ({ id }: Ref) => `discord:${id}`;

async function kept(): Promise<string[]> {
  const { messages } = await world.running().store.loadHistory(idOf(world.channel), { summary: true });
  return messages.map(({ text }) => text);
}

/** A question whose answer has just begun to show when the bot dies; whether its message is `known` by then. */
async function diedAnswering(known: boolean): Promise<Ref> {
  const { discord, channel, ada } = world;
  world.model.respond = () => stream('Half an', { wait: forever });
  await world.start();
  if (!known) armFaults((point) => (point === 'reply:posted' ? new Promise(() => {}) : undefined));
  const asked = world.mention(ada, channel, 'how old are you');
  await discord.replyTo(asked, ({ content }) => content !== '');
  if (known) {
    const planned = () => world.running().store.deliveriesOf(idOf(channel), asked.id);
    await expect.poll(() => planned().then(([first]) => first?.messageId ?? null)).not.toBeNull();
  }
  await world.stop(0);
  armFaults(null);
  world.model.respond = () => undefined;
  expect(shown()).toHaveLength(1);
  return asked;
}

describe('an answer that was interrupted while it showed', () => {
  it.each([true, false])(
    'goes when its question was deleted while the bot was off (its message was known: %s)',
    async (known) => {
      const asked = await diedAnswering(known);
      world.discord.deleteMessage(asked);
      const { store } = await world.start();
      await expect.poll(shown).toEqual([]);
      await expect.poll(() => store.pendingSessions()).toEqual([]);
      expect([await kept(), await store.deliveriesOf(idOf(world.channel), asked.id)]).toEqual([[], []]);
    },
  );

  it('gives way to the answer to what was asked after the question that was deleted', async () => {
    const { discord, channel, ada } = world;
    const asked = await diedAnswering(true);
    discord.deleteMessage(asked);
    const next = world.mention(ada, channel, 'where do you live');
    await world.start();
    await discord.replyTo(next);
    await expect.poll(shown).toEqual(['You said: where do you live']);
    await expect.poll(kept).toEqual(['where do you live', 'You said: where do you live']);
  });

  it('goes when its question is deleted before anybody has taken it up again', async () => {
    const { discord, channel } = world;
    const asked = await diedAnswering(true);
    const path = `/channels/${channel.id}/messages`;
    const times = Number.POSITIVE_INFINITY;
    const fault = discord.faults.add({ method: 'GET', path, times }, { kind: 'status', status: 503 });
    const { store } = await world.start();
    await expect.poll(() => discord.faults.hits(fault)).toBeGreaterThan(0);
    discord.deleteMessage(asked);
    await expect.poll(shown).toEqual([]);
    await expect.poll(() => store.pendingSessions()).toEqual([]);
    expect(await store.deliveriesOf(idOf(channel), asked.id)).toEqual([]);
  });

  it('is completed where it stands when only an earlier question of its turn was deleted', async () => {
    const { discord, channel, ada } = world;
    world.model.respond = () => stream({ wait: forever });
    await world.start();
    const first = world.mention(ada, channel, 'how old are you');
    await expect.poll(() => world.openai.chats().length).toBe(1);
    const second = world.mention(ada, channel, 'where do you live');
    const waiting = () => world.running().store.platformIdsSince(idOf(channel), 0, 9);
    await expect.poll(waiting).toEqual([second.id, first.id]);
    await world.stop(0);
    world.model.respond = () => stream('Half an', { wait: forever });
    await world.start();
    const begun = await discord.replyTo(second, ({ content }) => content !== '');
    await world.stop(0);
    world.model.respond = () => undefined;
    discord.deleteMessage(first);
    await world.start();
    const whole = await discord.replyTo(second, ({ content }) => content.startsWith('You said'));
    expect(whole.id).toBe(begun.id);
    await expect.poll(kept).toEqual(['where do you live', 'You said: where do you live']);
    expect(shown()).toEqual(['You said: where do you live']);
  });
});

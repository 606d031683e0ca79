import { afterEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/conversation/clock.js';
import { StorageError } from '../../src/conversation/errors.js';
import { openChatbot, type TestChatbot } from '../support/chatbot.js';

let world: TestChatbot;
afterEach(() => world.close());

describe('retention', () => {
  it('keeps what the strategy reached when the retention began, and what was just cut off', async () => {
    world = await openChatbot({ options: { retentionDays: 1 } });
    await world.chatbot.set('server:terminal', 'strategy', { name: 'window', k: 4, unit: 'messages' });
    for (let i = 1; i <= 5; i += 1) await world.say(`fact ${i}`);
    expect(await world.chatbot.sweep()).toBe(0);
    world.time.now += 2 * DAY_MS;
    await world.chatbot.set('server:terminal', 'strategy', { name: 'window', k: 2, unit: 'messages' });
    expect(await world.chatbot.sweep()).toBe(0);
    world.time.now += 2 * DAY_MS;
    expect(await world.chatbot.sweep()).toBe(7);
  });

  it('spares what a nearer strategy has reached until it was removed', async () => {
    world = await openChatbot({ options: { retentionDays: 1 } });
    const { session, chatbot, time } = world;
    await chatbot.set('server:terminal', 'strategy', { name: 'window', k: 2, unit: 'messages' });
    await chatbot.setStrategy(session, session.id, 'buffer', {});
    for (let i = 1; i <= 5; i += 1) await world.say(`fact ${i}`);
    time.now += 2 * DAY_MS;
    await chatbot.setStrategy(session, session.id, 'inherit', {});
    expect(await chatbot.sweep()).toBe(0);
    time.now += 2 * DAY_MS;
    expect(await chatbot.sweep()).toBe(7);
  });

  it('with 0 days keeps an answer when sweeping fails', async () => {
    world = await openChatbot({ options: { retentionDays: 0 } });
    world.deps.store.sweep = () => Promise.reject(new StorageError('storage', 'no'));
    expect((await world.say('hello')).outcome.kind).toBe('answered');
  });

  it('with 0 days deletes covered rows in the transaction that covers them', async () => {
    world = await openChatbot({ options: { retentionDays: 0 } });
    await world.chatbot.set('server:terminal', 'strategy', {
      name: 'summary-buffer',
      limit: { unit: 'messages', max: 4, keep: 2 },
      maxSummaryTokens: 100,
    });
    for (let i = 1; i <= 3; i += 1) await world.say(`fact ${i}`);
    await world.chatbot.folded(2_000);
    expect((await world.chatbot.report(world.session)).stored).toBe(2);
  });

  it.each([
    ['window', { name: 'window', k: 4, unit: 'messages' }, 12],
    ['token-buffer', { name: 'token-buffer', maxTokens: 100 }, 30],
    ['buffer at its ceiling', { name: 'buffer', maxTokens: 100 }, 30],
    ['summary', { name: 'summary', maxSummaryTokens: 60 }, 4],
    [
      'summary-buffer',
      { name: 'summary-buffer', limit: { unit: 'tokens', max: 200, keep: 100 }, maxSummaryTokens: 60 },
      60,
    ],
  ] as const)('with 0 days keeps a bounded number of rows under %s', async (_, strategy, bound) => {
    world = await openChatbot({ options: { retentionDays: 0 } });
    await world.chatbot.set('server:terminal', 'strategy', strategy);
    for (let i = 1; i <= 200; i += 1) await world.say(`fact ${i}`);
    await world.chatbot.folded(5_000);
    expect((await world.chatbot.report(world.session)).stored).toBeLessThanOrEqual(bound);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/conversation/clock.js';
import { openChatbot, type TestChatbot } from '../support/chatbot.js';
import { scriptedModel } from '../support/scripted-model.js';

let world: TestChatbot;
afterEach(() => world.close());

describe('the report of a memory', () => {
  it('adds up to the context window, part by part', async () => {
    world = await openChatbot();
    await world.say('hello');
    const { parts, contextWindow } = await world.chatbot.report(world.session);
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBe(contextWindow);
    expect(parts).toMatchObject({ answer: 1_000, safety: 6_400 });
  });

  it('says exactly what the next request then carries', async () => {
    world = await openChatbot();
    for (const text of ['one', 'two', 'three']) await world.say(text);
    const report = await world.chatbot.report(world.session);
    await world.say('four');
    expect(world.model.asked.at(-1)?.prompt.messages).toHaveLength(report.sent + 1);
  });

  it('tells what a change of strategy changes, in both directions without loss', async () => {
    world = await openChatbot();
    for (let i = 1; i <= 5; i += 1) await world.say(`fact ${i}`);
    const narrowed = await world.chatbot.setStrategy(world.session, world.session.id, 'window', { k: 2 });
    expect([narrowed.before.messages, narrowed.after.messages, narrowed.origin]).toEqual([10, 2, 'here']);
    expect(narrowed.after.tokens).toBeLessThan(narrowed.before.tokens);
    const widened = await world.chatbot.setStrategy(world.session, world.session.id, 'inherit', {});
    expect([widened.after.messages, widened.origin]).toEqual([10, 'default']);
  });

  it('keeps the old strategy when options are refused', async () => {
    world = await openChatbot();
    await world.chatbot.setStrategy(world.session, 'server:terminal', 'window', { k: 8 });
    await expect(
      world.chatbot.setStrategy(world.session, 'server:terminal', 'window', { k: 501 }),
    ).rejects.toMatchObject({
      code: 'bad-option',
    });
    expect((await world.chatbot.report(world.session)).strategyText).toBe('window k:8 unit:messages');
  });

  it('says when the token budget limits the history', async () => {
    world = await openChatbot({ model: scriptedModel(() => 'ok', { contextWindow: 1_000 }) });
    for (let i = 1; i <= 5; i += 1) await world.say(`fact ${i} ${'x'.repeat(200)}`);
    const report = await world.chatbot.report(world.session);
    expect(report.limitedBy).toBe('budget');
    expect(report.parts.free).toBeLessThan(200);
  });

  it('says when retention has deleted what the strategy would reach', async () => {
    world = await openChatbot({ options: { retentionDays: 1 } });
    await world.chatbot.set('server:terminal', 'strategy', { name: 'window', k: 2, unit: 'messages' });
    for (let i = 1; i <= 5; i += 1) await world.say(`fact ${i}`);
    world.time.now += 2 * DAY_MS;
    expect(await world.chatbot.sweep()).toBe(7);
    await world.chatbot.set('server:terminal', 'strategy', { name: 'window', k: 50, unit: 'messages' });
    expect(await world.chatbot.report(world.session)).toMatchObject({ stored: 3, sent: 2, cutByRetention: true });
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/conversation/clock.js';
import { scriptedModel } from '../support/scripted-model.js';
import { type Bench, putOnBench } from './bench.js';

let bench: Bench;
afterEach(() => bench.close());

describe('the report of a memory', () => {
  it('adds up to the context window, part by part', async () => {
    bench = await putOnBench();
    await bench.say('hello');
    const { parts, contextWindow } = await bench.bot.report(bench.session);
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBe(contextWindow);
    expect(parts).toMatchObject({ answer: 1_000, safety: 6_400 });
  });

  it('says exactly what the next request then carries', async () => {
    bench = await putOnBench();
    for (const text of ['one', 'two', 'three']) await bench.say(text);
    const report = await bench.bot.report(bench.session);
    await bench.say('four');
    expect(bench.model.asked.at(-1)?.prompt.messages).toHaveLength(report.sent + 1);
  });

  it('tells what a change of strategy changes, in both directions without loss', async () => {
    bench = await putOnBench();
    for (let i = 1; i <= 5; i += 1) await bench.say(`fact ${i}`);
    const narrowed = await bench.bot.setStrategy(bench.session, bench.session.id, 'window', { k: 2 });
    expect([narrowed.before.messages, narrowed.after.messages, narrowed.origin]).toEqual([10, 2, 'here']);
    expect(narrowed.after.tokens).toBeLessThan(narrowed.before.tokens);
    const widened = await bench.bot.setStrategy(bench.session, bench.session.id, 'inherit', {});
    expect([widened.after.messages, widened.origin]).toEqual([10, 'default']);
  });

  it('keeps the old strategy when options are refused', async () => {
    bench = await putOnBench();
    await bench.bot.setStrategy(bench.session, 'server:terminal', 'window', { k: 8 });
    await expect(bench.bot.setStrategy(bench.session, 'server:terminal', 'window', { k: 501 })).rejects.toMatchObject({
      code: 'bad-option',
    });
    expect((await bench.bot.report(bench.session)).strategyText).toBe('window k:8 unit:messages');
  });

  it('says when the token budget limits the history', async () => {
    bench = await putOnBench({ model: scriptedModel(() => 'ok', { contextWindow: 1_000 }) });
    for (let i = 1; i <= 5; i += 1) await bench.say(`fact ${i} ${'x'.repeat(200)}`);
    const report = await bench.bot.report(bench.session);
    expect(report.limitedBy).toBe('budget');
    expect(report.parts.free).toBeLessThan(200);
  });

  it('says when retention has deleted what the strategy would reach', async () => {
    bench = await putOnBench({ options: { retentionDays: 1 } });
    await bench.bot.set('server:terminal', 'strategy', { name: 'window', k: 2, unit: 'messages' });
    for (let i = 1; i <= 5; i += 1) await bench.say(`fact ${i}`);
    bench.time.now += 2 * DAY_MS;
    expect(await bench.bot.sweep()).toBe(7);
    await bench.bot.set('server:terminal', 'strategy', { name: 'window', k: 50, unit: 'messages' });
    expect(await bench.bot.report(bench.session)).toMatchObject({ stored: 3, sent: 2, cutByRetention: true });
  });
});

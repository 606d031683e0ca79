import { afterEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/conversation/clock.js';
import { StorageError } from '../../src/conversation/errors.js';
import { type Bench, putOnBench } from './bench.js';

let bench: Bench;
afterEach(() => bench.close());

describe('retention', () => {
  it('keeps what the strategy reached when the retention began, and what was just cut off', async () => {
    bench = await putOnBench({ options: { retentionDays: 1 } });
    await bench.bot.set('server:terminal', 'strategy', { name: 'window', k: 4, unit: 'messages' });
    for (let i = 1; i <= 5; i += 1) await bench.say(`fact ${i}`);
    expect(await bench.bot.sweep()).toBe(0);
    bench.time.now += 2 * DAY_MS;
    await bench.bot.set('server:terminal', 'strategy', { name: 'window', k: 2, unit: 'messages' });
    expect(await bench.bot.sweep()).toBe(0);
    bench.time.now += 2 * DAY_MS;
    expect(await bench.bot.sweep()).toBe(7);
  });

  it('spares what a nearer strategy has reached until it was removed', async () => {
    bench = await putOnBench({ options: { retentionDays: 1 } });
    const { session, bot, time } = bench;
    await bot.set('server:terminal', 'strategy', { name: 'window', k: 2, unit: 'messages' });
    await bot.setStrategy(session, session.id, 'buffer', {});
    for (let i = 1; i <= 5; i += 1) await bench.say(`fact ${i}`);
    time.now += 2 * DAY_MS;
    await bot.setStrategy(session, session.id, 'inherit', {});
    expect(await bot.sweep()).toBe(0);
    time.now += 2 * DAY_MS;
    expect(await bot.sweep()).toBe(7);
  });

  it('with 0 days keeps an answer when sweeping fails', async () => {
    bench = await putOnBench({ options: { retentionDays: 0 } });
    bench.parts.store.sweep = () => Promise.reject(new StorageError('storage', 'no'));
    expect((await bench.say('hello')).outcome.kind).toBe('answered');
  });

  it('with 0 days deletes covered rows in the transaction that covers them', async () => {
    bench = await putOnBench({ options: { retentionDays: 0 } });
    await bench.bot.set('server:terminal', 'strategy', {
      name: 'summary-buffer',
      limit: { unit: 'messages', max: 4, keep: 2 },
      maxSummaryTokens: 100,
    });
    for (let i = 1; i <= 3; i += 1) await bench.say(`fact ${i}`);
    await bench.bot.folded(2_000);
    expect((await bench.bot.report(bench.session)).stored).toBe(2);
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
    bench = await putOnBench({ options: { retentionDays: 0 } });
    await bench.bot.set('server:terminal', 'strategy', strategy);
    for (let i = 1; i <= 200; i += 1) await bench.say(`fact ${i}`);
    await bench.bot.folded(5_000);
    expect((await bench.bot.report(bench.session)).stored).toBeLessThanOrEqual(bound);
  });
});

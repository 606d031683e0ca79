import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startDeadlines } from '../../src/llm/deadlines.js';
import { failureOf } from './model-calls.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<never>(() => {});
const limits = { firstByteMs: 30_000, idleMs: 20_000, totalMs: 90_000 };

describe('the deadlines of a call', () => {
  it('restart the idle timer at every byte', async () => {
    const watch = startDeadlines(limits, undefined);
    watch.beginAttempt();
    const failed = failureOf(watch.wait(never));
    for (let n = 0; n < 3; n += 1) {
      await vi.advanceTimersByTimeAsync(19_999);
      watch.bytesReceived();
    }
    expect(watch.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(20_000);
    expect((await failed).message).toContain('within 20 s');
    expect(watch.signal.aborted).toBe(true);
    watch.end();
  });

  it('allow more time for the first byte of each attempt', async () => {
    const watch = startDeadlines(limits, undefined);
    watch.bytesReceived();
    watch.beginAttempt();
    const failed = failureOf(watch.wait(never));
    await vi.advanceTimersByTimeAsync(29_999);
    expect(watch.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect((await failed).message).toContain('did not begin to answer within 30 s');
    watch.end();
  });

  it('do not count the time that the caller takes between two pieces', async () => {
    const watch = startDeadlines(limits, undefined);
    watch.bytesReceived();
    await watch.wait(Promise.resolve());
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await watch.wait(Promise.resolve('still here'))).toBe('still here');
    watch.end();
  });

  it('abort everything at the total deadline', async () => {
    const watch = startDeadlines(limits, undefined);
    const failed = failureOf(watch.wait(never, 'unbounded'));
    await vi.advanceTimersByTimeAsync(89_999);
    expect(watch.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect((await failed).message).toContain('did not finish within 90 s');
    watch.end();
  });

  it('keep a lowered idle limit for the rest of the attempt', async () => {
    const watch = startDeadlines(limits, undefined);
    watch.bytesReceived();
    watch.shortenIdle(1_000);
    const failed = failureOf(watch.wait(never));
    await vi.advanceTimersByTimeAsync(900);
    watch.bytesReceived();
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await failed).code).toBe('timeout');
    watch.end();
  });

  it('leave no timer behind', async () => {
    const watch = startDeadlines(limits, new AbortController().signal);
    await watch.wait(Promise.resolve());
    watch.end();
    expect(vi.getTimerCount()).toBe(0);
  });
});

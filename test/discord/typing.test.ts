import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startTyping } from '../../src/discord/answers/target.js';

function typingChannel(answer: () => Promise<void> = async () => {}) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const start = Date.now();
  const seconds: number[] = [];
  const sendTyping = () => {
    seconds.push((Date.now() - start) / 1_000);
    return answer();
  };
  return { seconds, sendTyping };
}

const refusal = (status: number) => () => Promise.reject(Object.assign(new Error('refused'), { status }));

describe('startTyping', () => {
  it('shows it at once, again every eight seconds, and never after it was stopped', async () => {
    const channel = typingChannel();
    const stop = startTyping(channel);
    await vi.advanceTimersByTimeAsync(20_000);
    stop();
    stop();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(channel.seconds).toEqual([0, 8, 16]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends by itself after two minutes', async () => {
    const channel = typingChannel();
    startTyping(channel);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(channel.seconds.length).toBeGreaterThan(10);
    expect(channel.seconds.at(-1)).toBeLessThanOrEqual(120);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('goes on after a rate limit', async () => {
    const channel = typingChannel(refusal(429));
    const stop = startTyping(channel);
    await vi.advanceTimersByTimeAsync(9_000);
    stop();
    expect(channel.seconds).toEqual([0, 8]);
  });

  it('does not ask again where it may not write', async () => {
    const channel = typingChannel(refusal(403));
    startTyping(channel);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(channel.seconds).toEqual([0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not pile up requests that Discord holds back', async () => {
    const channel = typingChannel(() => new Promise(() => {}));
    startTyping(channel);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(channel.seconds).toEqual([0]);
  });
});

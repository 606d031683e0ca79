import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createEditThrottle } from '../../src/discord/shared/rate-limits.js';

function clockwork() {
  vi.useFakeTimers({ now: 1_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  const editThrottle = createEditThrottle(1_500, Date.now);
  const times: number[] = [];
  const edit = async (channelId: string) => {
    await editThrottle.edit(channelId);
    times.push(Date.now() - 1_000_000);
  };
  return { editThrottle, edit, times };
}

describe('the pace of edits', () => {
  it('lets the first edit of a channel pass at once and keeps the others apart', async () => {
    const { edit, times } = clockwork();
    void Promise.all([edit('a'), edit('a'), edit('a')]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(times).toEqual([0, 1_500, 3_000]);
  });

  it('is kept for each channel by itself', async () => {
    const { edit, times } = clockwork();
    void Promise.all([edit('a'), edit('b')]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(times).toEqual([0, 0]);
  });

  it('counts from what was noted last', async () => {
    const { editThrottle, edit, times } = clockwork();
    editThrottle.note('a');
    await vi.advanceTimersByTimeAsync(1_000);
    editThrottle.note('a');
    void edit('a');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(times).toEqual([2_500]);
  });

  it('holds nobody for longer than the interval when the clock is set back', async () => {
    const { editThrottle } = clockwork();
    editThrottle.note('a');
    vi.setSystemTime(0);
    let passed = false;
    void editThrottle.edit('a').then(() => {
      passed = true;
    });
    await vi.advanceTimersByTimeAsync(1_500);
    expect(passed).toBe(true);
  });
});

import type { Clock } from '../conversation/clock.js';

/** Resolves after so many milliseconds. */
export type Wait = (ms: number) => Promise<void>;

/** Keeps the edits in each channel apart, over all answers that are shown there. */
export type Pace = {
  /** Resolves when the channel may be edited again, and takes that moment for the caller. */
  edit(channelId: string): Promise<void>;
  /** Records that a message was sent or an edit has ended, so that the interval counts from now. */
  note(channelId: string): void;
  wait: Wait;
};

const CHANNELS_AT_MOST = 1_000;

/** Waits on the event loop's timers. */
export const waitFor: Wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** At most one edit per channel in `intervalMs` milliseconds, counted from the end of the one before. */
export function createPace(intervalMs: number, clock: Clock, wait: Wait = waitFor): Pace {
  const last = new Map<string, number>();
  const note = (channelId: string) => {
    last.delete(channelId);
    last.set(channelId, clock());
    if (last.size <= CHANNELS_AT_MOST) return;
    for (const [id, at] of last) if (clock() - at >= intervalMs) last.delete(id);
  };
  return {
    wait,
    note,
    async edit(channelId) {
      for (;;) {
        const left = (last.get(channelId) ?? Number.NEGATIVE_INFINITY) + intervalMs - clock();
        if (left <= 0) break;
        // A clock that was set back must not hold an edit for longer than the interval.
        await wait(Math.min(left, intervalMs));
        if (left > intervalMs) break;
      }
      note(channelId);
    },
  };
}

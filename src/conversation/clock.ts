/** Milliseconds since 1970; the one source of time, so that tests can set it. */
export type Clock = () => number;

/** Resolves after a number of milliseconds. */
export type Sleep = (ms: number) => Promise<void>;

/** A day in milliseconds. */
export const DAY_MS = 86_400_000;

/** Resolves after `ms` milliseconds; with `ref: false` the timer does not keep the process alive. */
export function sleep(ms: number, { ref = true }: { ref?: boolean } = {}): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (!ref) timer.unref();
  });
}

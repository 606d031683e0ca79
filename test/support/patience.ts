const given = process.env.TEST_PATIENCE ?? '3';

/**
 * How many times longer than on an idle machine with two cores anything may take: the one factor of every limit in the tests. Only
 * what fails waits so long. `TEST_PATIENCE=10 npm test` is for a very busy machine.
 */
const PATIENCE = Number(given);
if (!(PATIENCE >= 1)) throw new Error(`TEST_PATIENCE is ${given}; it must be a number from 1 on`);

/** Scales a limit in milliseconds. */
export function patiently(ms: number): number {
  return ms * PATIENCE;
}

/** How long one event is waited for, in milliseconds. */
export const WAIT_MS = patiently(10_000);

/** How long one test may take, in milliseconds, and as long each hook. */
export const TEST_MS = patiently(40_000);

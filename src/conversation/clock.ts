/** Returns milliseconds since 1970; all time is read through it, so that tests can set it. */
export type Clock = () => number;

/** A day in milliseconds. */
export const DAY_MS = 86_400_000;

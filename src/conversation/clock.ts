/** Milliseconds since 1970; the one place that time comes from, so that tests can set it. */
export type Clock = () => number;

/** A day in milliseconds. */
export const DAY_MS = 86_400_000;

/**
 * Refers to anything that has a snowflake. Functions take it in place of the whole object, so that a call can cross to
 * another process.
 */
export type Ref = { readonly id: string };

/** The fake's time in milliseconds since 1970: monotonic, and a test can move it ahead. */
export type Clock = { now(): number; advance(ms: number): void };

/** Snowflakes count milliseconds from the first of January 2015. */
const DISCORD_EPOCH = 1_420_070_400_000;
const IDS_PER_MILLISECOND = 2 ** 22;

/** Creates a clock that follows the machine's, plus whatever it was advanced by. */
export function createClock(): Clock {
  let offset = 0;
  let last = 0;
  return {
    now() {
      last = Math.max(last, Date.now() + offset);
      return last;
    },
    advance(ms) {
      offset += ms;
    },
  };
}

/**
 * Creates a generator of snowflakes that rise with time and, within a millisecond, with each call; `at` back-dates one.
 */
export function createSnowflakes(clock: Clock): (at?: number) => string {
  let count = 0;
  return (at = clock.now()) => {
    count = (count + 1) % IDS_PER_MILLISECOND;
    return String((BigInt(Math.floor(at) - DISCORD_EPOCH) << 22n) | BigInt(count));
  };
}

/** Returns when a snowflake was made, in milliseconds since 1970. */
export function snowflakeTime(id: string): number {
  return Number(BigInt(id) >> 22n) + DISCORD_EPOCH;
}

/** Compares snowflakes by age, oldest first. They are strings of different lengths, so plain `<` would be wrong. */
export function compareSnowflakes(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : Number(a > b);
}

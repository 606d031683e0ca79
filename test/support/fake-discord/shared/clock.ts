/** Anything that Discord knows by a snowflake; ids alone cross process borders. */
export type Ref = { readonly id: string };

/** The time of the fake world in milliseconds since 1970. It never runs backwards and can be moved ahead. */
export type Clock = { now(): number; advance(ms: number): void };

const DISCORD_EPOCH = 1_420_070_400_000;

const IDS_PER_MILLISECOND = 2 ** 22;

/** A clock that follows the machine's, plus whatever it was advanced by. */
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

/** Makes ids that rise with time and, within a millisecond, with each call; `at` back-dates one. */
export function createSnowflakes(clock: Clock): (at?: number) => string {
  let count = 0;
  return (at = clock.now()) => {
    count = (count + 1) % IDS_PER_MILLISECOND;
    return String((BigInt(Math.floor(at) - DISCORD_EPOCH) << 22n) | BigInt(count));
  };
}

/** When an id was made, in milliseconds since 1970. */
export function snowflakeTime(id: string): number {
  return Number(BigInt(id) >> 22n) + DISCORD_EPOCH;
}

/** Order of ids by age, oldest first; ids of different length are compared rightly. */
export function compareSnowflakes(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : Number(a > b);
}

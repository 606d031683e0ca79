import { describe, expect, it } from 'vitest';
import { fatalClose } from '../../src/discord/login.js';

describe('a close for good', () => {
  it.each([
    [4004, 'DISCORD_TOKEN'],
    [4010, 'SHARD_COUNT'],
    [4011, 'second bot'],
    [4012, 'update Keepsake'],
    [4013, 'update Keepsake'],
    [4014, 'MESSAGE_CONTENT=0'],
  ])('%i is told in one line, with a mend that exists: %s', (code, mend) => {
    const error = fatalClose(code);
    expect(error?.message).toContain(mend);
    expect(error?.message).not.toMatch(/\n|sharding/u);
  });

  it.each([1000, 1001, 1006, 4000, 4001, 4007, 4008, 4009])(
    'is not %i, after which the library connects again',
    (code) => {
      expect(fatalClose(code)).toBeNull();
    },
  );
});

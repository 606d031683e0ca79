import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fatalClose } from '../../src/discord/login-guards.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';

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

describe('a start after several failed ones in quick succession', () => {
  const PAUSE_MS = 60_000;
  let world: InProcessWorld;
  beforeEach(async () => {
    world = await openInProcessWorld({ bot: { crashPauseMs: PAUSE_MS } });
  });
  afterEach(() => world.close());

  /** Starts with Discord unreachable, so that each start fails. */
  async function failedStarts(count: number): Promise<void> {
    await world.discord.rest.refuse();
    for (let i = 0; i < count; i += 1) await expect(world.start()).rejects.toThrow('Discord cannot be reached');
    await world.discord.rest.accept();
  }

  /** Starts once more; resolves with the pauses, and the requests that Discord had seen before the longest of them. */
  async function startWithRecordedPauses(): Promise<{ pauses: number[]; requestsBefore: number }> {
    const pauses: number[] = [];
    const before = world.discord.journal.rest().length;
    let requestsBefore = 0;
    const sleep = async (ms: number) => {
      pauses.push(ms);
      if (ms === PAUSE_MS) requestsBefore = world.discord.journal.rest().length - before;
    };
    await world.start({ sleep });
    return { pauses, requestsBefore };
  }

  it('waits before it makes any request', async () => {
    await failedStarts(5);
    expect(await startWithRecordedPauses()).toEqual({ pauses: [PAUSE_MS], requestsBefore: 0 });
    expect(world.log.map(({ message }) => message)).toContain(
      'waiting before the login: several starts in quick succession',
    );
  });

  it('does not wait after fewer of them, or when they were long ago', async () => {
    await failedStarts(4);
    expect((await startWithRecordedPauses()).pauses).not.toContain(PAUSE_MS);
    await world.stop();
    await failedStarts(5);
    world.time.ahead += 300_001;
    expect((await startWithRecordedPauses()).pauses).not.toContain(PAUSE_MS);
  });

  it('does not wait after a run that ended cleanly', async () => {
    await failedStarts(4);
    await world.start();
    await world.stop();
    expect((await startWithRecordedPauses()).pauses).not.toContain(PAUSE_MS);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_LIFETIME_MS, readCustomId, writeCustomId } from '../../src/discord/commands/custom-id.js';

const NOW = Date.UTC(2026, 0, 1);
const id = { kind: 'forget', what: 'session', owner: '123456789012345678', until: NOW + 60_000 };

describe('a custom id', () => {
  it('comes back as it was written, within Discord’s 100 characters', () => {
    const text = writeCustomId({ ...id, owner: '9'.repeat(20), what: 'opt-out' });
    expect(text.length).toBeLessThanOrEqual(100);
    expect(readCustomId(text, NOW)).toEqual({ ...id, owner: '9'.repeat(20), what: 'opt-out' });
  });

  it('is not believed when it promises a longer life than any button has', () => {
    const until = NOW + MAX_LIFETIME_MS + 1;
    expect(readCustomId(writeCustomId({ ...id, until }), NOW)).toBeNull();
  });

  it.each([
    '',
    'forget',
    'forget:session:1',
    'forget:session:ada:zzz',
    'forget:session:1:-5',
    'FORGET:me:1:1',
    'a:b:1:1\n',
  ])('is not believed when it reads %j', (text) => expect(readCustomId(text, NOW)).toBeNull());

  it('is never read as anything but what would be written, whatever is sent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
        const read = readCustomId(text, NOW);
        if (read !== null) expect(read.until).toBeLessThanOrEqual(NOW + MAX_LIFETIME_MS);
      }),
    );
  });
});

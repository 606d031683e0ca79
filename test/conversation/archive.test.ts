import { expect, it } from 'vitest';
import { readArchive, readArchiveInSlices } from '../../src/conversation/archive.js';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const strategy = { name: 'buffer', maxTokens: 1_000 };
const header = { keepsake: 1, session: 'terminal:x', exportedAt: '2026-01-01T00:00:00.000Z', strategy };
const messages = Array.from({ length: 5_000 }, (_, i) => ({
  type: 'message',
  role: 'user',
  id: `${i}`,
  author: { id: 'ada', name: 'Ada' },
  time: '2025-01-01T00:00:00.000Z',
  state: 'heard',
  text: `message ${i}`,
}));
const file = (rows: readonly unknown[]) => [header, ...rows].map((row) => JSON.stringify(row)).join('\n');

/** How often other work of the process got its turn before a promise was settled. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let settled = false;
  work.then(
    () => {
      settled = true;
    },
    () => {
      settled = true;
    },
  );
  while (!settled) {
    await new Promise((resume) => setImmediate(resume));
    turns += 1;
  }
  return turns;
}

it('an archive that is parsed in slices yields every thousand lines and is the same', async () => {
  const reading = readArchiveInSlices(file(messages), NOW);
  expect(await turnsDuring(reading)).toBeGreaterThanOrEqual(5);
  expect(await reading).toEqual(readArchive(file(messages), NOW));
});

it('an archive that is parsed in slices is refused with the same sentence', async () => {
  const wrong = file([...messages, { ...messages[0] }, { ...messages[1], id: 'x', role: 'system' }]);
  const refusals = [];
  try {
    readArchive(wrong, NOW);
  } catch (error) {
    refusals.push(String(error));
  }
  await readArchiveInSlices(wrong, NOW).catch((error) => refusals.push(String(error)));
  expect(refusals).toHaveLength(2);
  expect(refusals[0]).toBe(refusals[1]);
});

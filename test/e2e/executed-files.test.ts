import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openProcessWorld, type ProcessWorld } from './process-world.js';

const MOST_FILES = 70;
const IMPORTED = new URL('../support/coverage-on-signal.mjs', import.meta.url).href;
const DIST = new URL('../../dist/', import.meta.url).href;

let world: ProcessWorld;
afterEach(() => world.close());

/** The files of the program in which a function has run since the last call. */
async function executedSince(): Promise<string[]> {
  const taken = world.bot().out().split('coverage taken').length;
  world.bot().signal('SIGUSR2');
  await expect.poll(() => world.bot().out().split('coverage taken').length).toBe(taken + 1);
  const urls = JSON.parse(readFileSync(join(world.folder, 'coverage.json'), 'utf8')) as string[];
  return urls.filter((url) => url.startsWith(DIST)).map((url) => url.slice(DIST.length));
}

it(`executes at most ${MOST_FILES} files of src/ from one message to its answer`, async () => {
  world = await openProcessWorld();
  await world.start({ NODE_OPTIONS: `--import ${IMPORTED}`, COVERAGE_FILE: join(world.folder, 'coverage.json') });
  const [ada, channel] = [world.addMember('Ada'), world.addChannel()];
  await world.ask('hello', channel, ada);
  await executedSince();
  await world.ask('how are you?', channel, ada);
  const files = await executedSince();
  expect(files).toContain('chatbot/turn.js');
  expect(files).toContain('discord/answers/message-poster.js');
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(MOST_FILES);
});

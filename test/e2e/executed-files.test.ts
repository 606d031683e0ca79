import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openStage, type Stage } from './stage.js';

const MOST_FILES = 70;
const IMPORTED = new URL('../support/coverage-on-signal.mjs', import.meta.url).href;
const DIST = new URL('../../dist/', import.meta.url).href;

let stage: Stage;
afterEach(() => stage.close());

/** The files of the program in which a function has run since the last call. */
async function executedSince(): Promise<string[]> {
  const taken = stage.bot().out().split('coverage taken').length;
  stage.bot().signal('SIGUSR2');
  await expect.poll(() => stage.bot().out().split('coverage taken').length, { timeout: 20_000 }).toBe(taken + 1);
  const urls = JSON.parse(readFileSync(join(stage.folder, 'coverage.json'), 'utf8')) as string[];
  return urls.filter((url) => url.startsWith(DIST)).map((url) => url.slice(DIST.length));
}

it(`executes at most ${MOST_FILES} files of src/ from one message to its answer`, async () => {
  stage = await openStage();
  await stage.start({ NODE_OPTIONS: `--import ${IMPORTED}`, COVERAGE_FILE: join(stage.folder, 'coverage.json') });
  const [ada, room] = [stage.person('Ada'), stage.room()];
  await stage.ask(ada, room, 'hello');
  await executedSince();
  await stage.ask(ada, room, 'how are you?');
  const files = await executedSince();
  expect(files).toContain('chatbot/turn.js');
  expect(files).toContain('discord/answers/message-poster.js');
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(MOST_FILES);
});

import { basename } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { TEST_MS, WAIT_MS } from './test/support/patience.js';

/** Test files that take a minute. */
const LONGEST = ['kill-loop', 'crash-fold'];

/** Begins with the longest files, then with those that start processes, so that none of these is left over at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId }: TestSpecification): number {
  if (LONGEST.includes(basename(moduleId, '.test.ts'))) return 0;
  return moduleId.includes('/test/e2e/') ? 1 : 2;
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
    expect: { poll: { timeout: WAIT_MS, interval: 20 } },
    // Nothing is kept in module scope that a test would have to fear, and loading the libraries anew for each file is dear.
    isolate: false,
    // A tenth less CPU time than processes. What a thread cannot do (`chdir`, `umask`) is tried in a process of its own.
    pool: 'threads',
    // Many tests wait for processes and timers, so more run at once than there are cores.
    maxWorkers: 4,
    // The tests of a file run in any order.
    sequence: { shuffle: { tests: true, files: false }, sequencer: LongestFirst },
  },
});

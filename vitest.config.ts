import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Nothing is kept in module scope that a test would have to fear, and loading the libraries anew for each file is dear.
    isolate: false,
    // Many tests wait for processes and timers, so more run at once than there are cores.
    maxWorkers: 4,
    // Real processes on a shared machine: what fails by chance there may try again, at home it may not.
    retry: process.env.CI === 'true' ? 2 : 0,
    // Tests run in any order; files in vitest's own, the longest first, so that none is left over at the end.
    sequence: { shuffle: { tests: true, files: false } },
  },
});

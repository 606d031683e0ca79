import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Many tests wait for processes and timers, so more run at once than there are cores.
    maxWorkers: 4,
    sequence: { shuffle: true },
  },
});

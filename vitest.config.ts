import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/.data/**'],
    globalSetup: ['test/support/database.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // How long something is waited for, not how fast it has to be: on a busy machine a page may take its time.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
  },
});

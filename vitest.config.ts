import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Each file of tests is a process of its own, which need not compile the same modules again.
process.env.NODE_COMPILE_CACHE ??= path.resolve('node_modules/.cache/node');

/** What starts processes and browsers takes longest: begun first, none of it is left alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => /\/test\/(studio|flows)\//.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/**
 * Share processes: starting one and loading the service's modules anew for each file would be much of the work. All others
 * have one of their own, as they leave waits behind, or measure the time that their process takes.
 */
const together = ['contract', 'flows', 'mcp', 'site', 'studio'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

// Walks in several browsers are a script of their own.
const walks = process.env.BROWSERS ? [] : ['test/browsers/**'];
const never = ['**/node_modules/**', '**/.data/**', ...walks];

export default defineConfig({
  test: {
    globalSetup: ['test/support/database.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    // How long something is waited for, not how fast it has to be: on a busy machine a process or page may take its time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    sequence: { sequencer: LongestFirst },
    // One more than cores: a part of the tests waits for browsers and processes.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: { name: 'together', include: together, exclude: never, isolate: false },
      },
      {
        extends: true,
        test: { name: 'apart', include: ['**/*.test.ts'], exclude: [...never, ...together] },
      },
    ],
  },
});

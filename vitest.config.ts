import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { timeLimits } from './test/support/time-limits.ts';

// Test processes share compiled modules.
process.env.NODE_COMPILE_CACHE ??= path.resolve('node_modules/.cache/node');

/**
 * Order of the test files. Files with a process of their own come first, because vitest ends a shared process before each of
 * them. Then come files that take long for their size, so that none of them runs alone at the end. Among the rest, files that
 * wait for processes and browsers alternate with files that compute, so that the cores stay busy.
 */
class SpreadEvenly extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files);
    const isShared = ({ project }: TestSpecification) => !project.config.isolate;
    const isWaiting = ({ moduleId }: TestSpecification) => /\/test\/(studio|flows)\//.test(moduleId);
    const placed = (some: TestSpecification[]) =>
      some.map((file, at) => ({ file, place: (at + 0.5) / some.length }));
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/(attacks|import-bounds|keyboard|oldest-database)\.test/.test(moduleId);
    const shared = sorted.filter((file) => isShared(file) && !isLong(file));
    const kinds = [shared.filter(isWaiting), shared.filter((file) => !isWaiting(file))];
    const spread = kinds.flatMap(placed).toSorted((one, other) => one.place - other.place);
    const long = sorted.filter((file) => isShared(file) && isLong(file));
    return [...sorted.filter((file) => !isShared(file)), ...long, ...spread.map(({ file }) => file)];
  }
}

/** V8 flag for garbage collection without further threads, because other tests use the other cores. */
const collectingAlone = ['--single-threaded-gc'];

/** Tests with a process of their own: they leave timers behind, or measure their process. */
const apart = [
  'test/cost/*.test.ts',
  'test/features/*.test.ts',
  'test/foreign/*.test.ts',
  'server/threads/*.test.ts',
  'shared/db/concurrency-quota.test.ts',
  'shared/runtime/*.test.ts',
  'shared/postgres/*.test.ts',
  'shared/webhooks/send*.test.ts',
];

// Separate scripts run these, because they need several browsers or installed programs.
const walks = process.env.BROWSERS ? [] : ['test/browsers/**'];
const relays = process.env.RELAY ? [] : ['test/relay/**'];
const clusters = process.env.PATRONI ? [] : ['test/patroni/**'];
const recordings = process.env.RECORD ? [] : ['test/recording/**'];
const never = [
  '**/node_modules/**',
  '**/.data/**',
  '.studio-build-*/**',
  ...walks,
  ...relays,
  ...clusters,
  ...recordings,
];

export default defineConfig({
  test: {
    globalSetup: ['test/support/database.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    testTimeout: timeLimits.test,
    hookTimeout: timeLimits.test,
    expect: { poll: { timeout: timeLimits.wait } },
    sequence: { sequencer: SpreadEvenly },
    // Twice as many as cores: tests wait for browsers, processes and timers for a third of their time.
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          ...{ name: 'together', include: ['**/*.test.ts'], exclude: [...never, ...apart] },
          // A new process for each file would load all modules of the service again.
          isolate: false,
          execArgv: collectingAlone,
        },
      },
      {
        extends: true,
        test: { name: 'apart', include: apart, exclude: never },
      },
    ],
  },
});

import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Each file of tests is a process of its own, which need not compile the same modules again.
process.env.NODE_COMPILE_CACHE ??= path.resolve('node_modules/.cache/node');

/**
 * What starts processes and browsers waits for them a part of its time, all else computes: spread evenly, they keep the cores
 * busy throughout, and nothing long is left alone at the end. What has a process of its own comes first, since each begun
 * among those that share one would end theirs. Then come a few that take long for their lines, by which files are sorted.
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

/** The cores that threads of V8 would collect garbage on are busy with other tests. */
const collectingAlone = ['--single-threaded-gc'];

/** These leave waits behind, or measure what their process takes, and have one of their own. */
const apart = [
  'test/cost/*.test.ts',
  'test/features/*.test.ts',
  'test/foreign/*.test.ts',
  'server/threads/*.test.ts',
  'shared/db/shares.test.ts',
  'shared/runtime/*.test.ts',
  'shared/postgres/*.test.ts',
  'shared/webhooks/send*.test.ts',
];

// Walks in several browsers are a script of their own, and so is what needs programs that are installed.
const walks = process.env.BROWSERS ? [] : ['test/browsers/**'];
const relays = process.env.RELAY ? [] : ['test/relay/**'];
const clusters = process.env.PATRONI ? [] : ['test/patroni/**'];
const recordings = process.env.RECORD ? [] : ['test/recording/**'];
const never = ['**/node_modules/**', '**/.data/**', ...walks, ...relays, ...clusters, ...recordings];

export default defineConfig({
  test: {
    globalSetup: ['test/support/database.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    // Bounds for events that never come. A busy machine may need most of that time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: SpreadEvenly },
    // Twice as many as cores: tests wait for browsers, processes and timers for a third of their time.
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          ...{ name: 'together', include: ['**/*.test.ts'], exclude: [...never, ...apart] },
          // Starting a process and loading the service's modules anew for each file would be much of the work.
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

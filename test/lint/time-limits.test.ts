import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { timeLimits } from '../support/time-limits.ts';

const checkout = path.join(import.meta.dirname, '../..');
const thisFile = path.relative(checkout, import.meta.filename);

/** Numbers that limit no test, with the reason. */
const exceptions: Record<string, string> = {
  'test/accounts/passkeys.test.ts: timeout: 300_000': 'a value that the service sends to browsers',
};

const kinds = [
  // Options of the test runner and of Playwright, for a test, a file or a wait; the value may depend on a condition.
  { pattern: /\b(?:testTimeout|hookTimeout|timeout): [^\n]*/g, minMs: timeLimits.test },
  // The last argument of a hook, a test or `eventually`.
  { pattern: /(?:^ *\}|\beventually\([^\n]*), [\d_]+\)/gm, minMs: timeLimits.wait },
];

/** Finds limits that are shorter than those of all tests. Less than a second is the interval of a timer. */
function findShort(code: string): string[] {
  return kinds.flatMap(({ pattern, minMs }) =>
    (code.match(pattern) ?? []).flatMap((found) => {
      const numbers = found.match(/\b\d[\d_]*/g) ?? [];
      const isShort = (ms: number) => ms >= 1_000 && ms < minMs;
      return numbers.some((number) => isShort(Number(number.replaceAll('_', '')))) ? [found] : [];
    }),
  );
}

// A test with a shorter limit of its own fails on a busy machine, although nothing is wrong. Measurements, and tests that
// other scripts run on clusters and several browsers, are left out.
test('no test has a shorter time limit than all tests have', () => {
  const files = globSync('{test,server,shared,worker,client}/**/*.{ts,tsx}', {
    cwd: checkout,
    exclude: (name) => /^(node_modules|dist|bench|browsers|patroni)$/.test(path.basename(name)),
  }).filter((file) => (file.startsWith('test/') || file.includes('.test.')) && file !== thisFile);
  const found = files.flatMap((file) =>
    findShort(readFileSync(path.join(checkout, file), 'utf8')).map((limit) => `${file}: ${limit}`),
  );
  const isExpected = (limit: string) => Object.keys(exceptions).some((start) => limit.startsWith(start));
  expect(files).toContain('test/http/slow-readers.test.ts');
  expect(found.filter((limit) => !isExpected(limit))).toEqual([]);
});

test.for([
  ["test('a', { timeout: 15_000 }, run);", 1],
  ['vi.setConfig({ hookTimeout: isLong ? 1_800_000 : 120_000 });', 1],
  ['beforeAll(async () => {\n  await start();\n}, 60_000);', 1],
  ['await eventually(isOver, 30_000);', 1],
  ["test('a', { timeout: 1_800_000 }, run);", 0],
  ['await eventually(async () => (await count(2)) === 0);', 0],
  ['setInterval(() => {\n  step();\n}, 10);', 0],
] as const)('%j has %i short limits', ([code, count]) => {
  expect(findShort(code)).toHaveLength(count);
});

import { expect, test } from 'vitest';
import { countFiles, isCore, sum } from '../size.ts';

test('the core has at most 6,000 lines, so that a newcomer reads it in an hour', () => {
  const core = countFiles().filter(isCore);
  expect(core.length).toBeGreaterThan(50);
  expect(sum(core)).toBeLessThanOrEqual(6_000);
});

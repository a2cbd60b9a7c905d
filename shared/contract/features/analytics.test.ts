import { expect, test } from 'vitest';
import { periodSince } from './analytics.ts';

const now = new Date('2026-03-20T23:00:00Z');

test.for([
  ['2026-03-20T08:00:00Z', '7d'],
  ['2026-03-14T00:00:00Z', '7d'],
  ['2026-03-13T23:59:59Z', '30d'],
  ['2026-02-19T00:00:00Z', '30d'],
  ['2026-02-18T23:59:59Z', '90d'],
  ['2025-01-01T00:00:00Z', '90d'],
] as const)('views since %s are in the period %s, which begins at midnight UTC', ([since, period]) => {
  expect(periodSince(new Date(since), now)).toBe(period);
});

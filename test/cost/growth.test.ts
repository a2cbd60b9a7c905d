import { expect, test } from 'vitest';
import { expectLinear } from '../support/expect-linear.ts';

// The measurement that the other tests in this folder use.

/** Computes for about a millisecond per thousand steps. */
function compute(steps: number) {
  let sum = 0;
  for (let n = 0; n < steps * 1_000; n += 1) sum += Math.sqrt(n) % 7;
  return sum;
}

const reader = { make: (size: number) => size, bound: 1_024, maxMs: 60_000 };

test('the check for linear time accepts work in linear time', async () => {
  await expectLinear({ ...reader, read: (size) => compute(size * 20) });
});

// A busy machine can lengthen the smaller reading so much that the growth looks linear, but not each time.
test('the check for linear time rejects work in quadratic time', { retry: 5 }, async () => {
  await expect(expectLinear({ ...reader, read: (size) => compute(size ** 2 / 16) })).rejects.toThrow(
    'linear',
  );
});

test('the check for linear time rejects work over its time limit, however its time grows', async () => {
  await expect(expectLinear({ ...reader, maxMs: 10, read: (size) => compute(size * 20) })).rejects.toThrow(
    'in time',
  );
});

import { expect, test } from 'vitest';
import { inBatches, TooManyWaitingError } from './in-batches.ts';

test('what comes while the work runs waits for the next batch', async () => {
  const batches: number[][] = [];
  const double = inBatches(async (items: number[]) => {
    batches.push(items);
    return (item) => item * 2;
  });
  expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
  expect(batches).toEqual([[1, 2, 3]]);
});

test('while the work stands still, what comes past 10,000 is refused at once, and nothing else is lost', async () => {
  const gate = Promise.withResolvers<void>();
  const add = inBatches(async () => {
    await gate.promise;
    return (item: number) => item;
  });
  const outcomes = Promise.allSettled(Array.from({ length: 12_000 }, (_, n) => add(n)));
  gate.resolve();
  const settled = await outcomes;
  const refused = settled.filter(({ status }) => status === 'rejected');
  expect(settled.slice(0, 10_000).every(({ status }) => status === 'fulfilled')).toBe(true);
  expect(refused).toHaveLength(2_000);
  expect(refused[0]).toEqual({ status: 'rejected', reason: expect.any(TooManyWaitingError) });
});

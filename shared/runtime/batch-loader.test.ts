import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBatchLoader, createBatchQueue, TooManyWaitingError } from './batch-loader.ts';

test('what comes while the work runs waits for the next batch', async () => {
  const batches: number[][] = [];
  const double = createBatchQueue(async (items: number[]) => {
    batches.push(items);
    return (item) => item * 2;
  });
  expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
  expect(batches).toEqual([[1, 2, 3]]);
});

test('while the work stands still, what comes past 10,000 is refused at once, and nothing else is lost', async () => {
  const gate = Promise.withResolvers<void>();
  const add = createBatchQueue(async () => {
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

/** Loader that doubles even numbers, has no answer for odd ones, and records its batches in `asked`. */
function doubling(most: number) {
  const asked: number[][] = [];
  const find = createBatchLoader(async (questions: readonly number[]) => {
    asked.push([...questions]);
    return new Map(questions.filter((n) => n % 2 === 0).map((n) => [n, 2 * n]));
  }, most);
  return { asked, find };
}

test('what is asked in one turn of the event loop is answered together, each with its own answer', async () => {
  const { asked, find } = doubling(10);
  expect(await Promise.all([find(2), find(4), find(2), find(3)])).toEqual([4, 8, 4, null]);
  expect(asked).toEqual([[2, 4, 3]]);
});

test('what is asked once a query has begun waits for the next, which sees what was written before it', async () => {
  const { asked, find } = doubling(10);
  const first = find(2);
  await turn();
  await turn();
  expect(await Promise.all([first, find(2)])).toEqual([4, 4]);
  expect(asked).toEqual([[2], [2]]);
});

test('no more than the bound are asked together', async () => {
  const { asked, find } = doubling(2);
  await Promise.all([find(2), find(4), find(6), find(8), find(10)]);
  expect(asked).toEqual([[2, 4], [6, 8], [10]]);
});

test('a failure reaches all who asked, and none of those who ask afterwards', async () => {
  let fails = true;
  const find = createBatchLoader(async (questions: readonly number[]) => {
    if (fails) throw new Error('down');
    return new Map(questions.map((n) => [n, n]));
  }, 10);
  const failed = await Promise.allSettled([find(1), find(2)]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fails = false;
  expect(await find(1)).toBe(1);
});

import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBatchLoader, createBatchQueue, TooManyWaitingError } from './batch-loader.ts';

test('items that arrive while the work runs wait for the next batch', async () => {
  const batches: number[][] = [];
  const double = createBatchQueue(async (items: number[]) => {
    batches.push(items);
    return (item) => item * 2;
  });
  expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
  expect(batches).toEqual([[1, 2, 3]]);
});

test('while the work is blocked, items beyond 10,000 are refused immediately, and no other is lost', async () => {
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
function doubling(max: number) {
  const requested: number[][] = [];
  const find = createBatchLoader(async (questions: readonly number[]) => {
    requested.push([...questions]);
    return new Map(questions.filter((n) => n % 2 === 0).map((n) => [n, 2 * n]));
  }, max);
  return { asked: requested, find };
}

test('keys that are looked up in one turn of the event loop share a query, and each caller gets its own result', async () => {
  const { asked: requested, find } = doubling(10);
  expect(await Promise.all([find(2), find(4), find(2), find(3)])).toEqual([4, 8, 4, null]);
  expect(requested).toEqual([[2, 4, 3]]);
});

test('a lookup that begins during a query waits for the next query, which sees earlier writes', async () => {
  const { asked: requested, find } = doubling(10);
  const first = find(2);
  await turn();
  await turn();
  expect(await Promise.all([first, find(2)])).toEqual([4, 4]);
  expect(requested).toEqual([[2], [2]]);
});

test('a query has at most the maximum number of questions', async () => {
  const { asked: requested, find } = doubling(2);
  await Promise.all([find(2), find(4), find(6), find(8), find(10)]);
  expect(requested).toEqual([[2, 4], [6, 8], [10]]);
});

test('a failure reaches all questions of its query, and no later ones', async () => {
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

import { GCProfiler } from 'node:v8';
import { expect, inject, test } from 'vitest';
import { Client } from '../../shared/db/client.ts';

const readers = 16;
const readsOfEach = 1_000;
const answerBytes = 2_000;

test('results of PostgreSQL are garbage-collected in the young generation once they were read', async () => {
  const client = new Client({ connectionString: inject('databaseUrl') });
  await client.connect();
  const readOn = async () => {
    for (let n = 0; n < readsOfEach; n++) {
      await client.query(`select repeat('x', ${answerBytes}) as body`);
      // Allocates as much as a request does, so that few requests are in flight at each garbage collection.
      Array.from({ length: 60 }, () => new Array(100).fill(n));
    }
  };
  await readOn();
  const profiler = new GCProfiler();
  profiler.start();
  await Promise.all(Array.from({ length: readers }, readOn));
  const { statistics } = profiler.stop();
  await client.end();
  const collected = statistics.filter(({ gcType }) => gcType === 'Scavenge');
  expect(collected.length).toBeGreaterThan(20);
  const usedOld = (heap: { heapSpaceStatistics: { spaceName: string; spaceUsedSize: number }[] }) =>
    heap.heapSpaceStatistics.find(({ spaceName }) => spaceName === 'old_space')?.spaceUsedSize ?? Number.NaN;
  const becameOld = collected
    .map(({ beforeGC, afterGC }) => usedOld(afterGC) - usedOld(beforeGC))
    .reduce((sum, bytes) => sum + bytes, 0);
  expect(becameOld / (readers * readsOfEach)).toBeLessThan(answerBytes / 10);
});

import type { Part } from '../bench.ts';
import { millis } from '../report.ts';
import { startService } from '../service.ts';
import { median } from '../statistics.ts';

const mostMs = 1_000;

/** From the start of the server's process to its first 200 at `/readyz`, with the database running and migrated. */
export const start: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_start');
  const readyMs: number[] = [];
  for (let round = 0; round < bench.rounds * 2; round++) {
    await using service = await startService(databaseUrl);
    readyMs.push(service.readyMs);
  }
  const is = median(readyMs);
  return [
    {
      work: 'server ready, database running',
      target: `<= ${millis(mostMs)}`,
      result: `${millis(is)} (${millis(Math.min(...readyMs))} to ${millis(Math.max(...readyMs))})`,
      met: is <= mostMs,
      values: { medianMs: is, leastMs: Math.min(...readyMs), mostMs: Math.max(...readyMs) },
    },
  ];
};

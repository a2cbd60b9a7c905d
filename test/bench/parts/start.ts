import type { Part } from '../bench.ts';
import { cpuSeconds } from '../processes.ts';
import { millis } from '../report.ts';
import { startService } from '../service.ts';
import { median } from '../statistics.ts';

const mostMs = 1_000;

/** From the start of the server's process to its first 200 at `/readyz`, with the database running and migrated. */
export const start: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_start');
  await using _warmUp = await startService(databaseUrl);
  const readyMs: number[] = [];
  const cpuMs: number[] = [];
  for (let round = 0; round < bench.rounds * 2; round++) {
    await using service = await startService(databaseUrl);
    readyMs.push(service.readyMs);
    cpuMs.push(((await cpuSeconds(service.pid)) ?? Number.NaN) * 1_000);
  }
  const is = median(readyMs);
  return [
    {
      work: 'server ready, database running',
      target: `<= ${millis(mostMs)}`,
      result: `${millis(is)} (${millis(Math.min(...readyMs))} to ${millis(Math.max(...readyMs))}; CPU ${millis(median(cpuMs))})`,
      met: is <= mostMs,
      values: {
        medianMs: is,
        leastMs: Math.min(...readyMs),
        mostMs: Math.max(...readyMs),
        cpuMs: median(cpuMs),
      },
    },
  ];
};

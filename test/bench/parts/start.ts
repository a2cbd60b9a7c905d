import type { Part } from '../bench.ts';
import { cpuSeconds } from '../processes.ts';
import { millis, times } from '../report.ts';
import { startPlain, startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

const max = { ms: 1_000, ratio: 6 };

/** Time from the start of the server process to its first 200 at `/readyz`, with a running and migrated database. */
export const start: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_start');
  await using operator = await openOperator(databaseUrl);
  const { siteId } = await seedSite(operator, 1_000);
  const starts = { own: () => startService(databaseUrl), plain: () => startPlain(databaseUrl, { siteId }) };
  const timed = async (begin: (typeof starts)['own' | 'plain']) => {
    await using started = await begin();
    return { ms: started.readyMs, cpuMs: ((await cpuSeconds(started.pid)) ?? Number.NaN) * 1_000 };
  };
  await timed(starts.own);
  await timed(starts.plain);
  const rounds: Record<keyof typeof starts, Awaited<ReturnType<typeof timed>>>[] = [];
  for (let round = 0; round < bench.rounds * 2; round++)
    rounds.push({ own: await timed(starts.own), plain: await timed(starts.plain) });
  const readyMs = rounds.map(({ own }) => own.ms);
  const [minMs, is, maxMs] = [Math.min(...readyMs), median(readyMs), Math.max(...readyMs)];
  const cpuMs = median(rounds.map(({ own }) => own.cpuMs));
  const plain = {
    ms: median(rounds.map((round) => round.plain.ms)),
    cpuMs: median(rounds.map((round) => round.plain.cpuMs)),
  };
  return [
    {
      work: 'server ready, database running',
      target: `<= ${millis(max.ms)}`,
      result: `${millis(is)} (${millis(minMs)} to ${millis(maxMs)}; CPU ${millis(cpuMs)})`,
      met: is <= max.ms,
      values: { medianMs: is, minMs, maxMs, cpuMs },
    },
    {
      work: 'the same, to plain Fastify + pg',
      target: `<= ${times(max.ratio)}`,
      result: `${times(is / plain.ms)} (${millis(is)} to ${millis(plain.ms)}; CPU ${millis(cpuMs)} to ${millis(plain.cpuMs)})`,
      met: is / plain.ms <= max.ratio,
      values: { plainMs: plain.ms, plainCpuMs: plain.cpuMs },
    },
  ];
};

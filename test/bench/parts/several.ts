import { keysOf } from '../../../shared/contract/names-of.ts';
import type { Part } from '../bench.ts';
import { type Load, measure } from '../load.ts';
import { familyCpuSeconds } from '../processes.ts';
import { cpu, cpuMsEach, perSecond, times } from '../report.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

const counts = [1, 2, 4] as const;
type Count = (typeof counts)[number];

const connections = 64;

const maxTimes = 1.15;

const shares = {
  divided: { many: () => connections, said: `${connections} connections in all` },
  each: { many: (count: Count) => count * connections, said: `${connections} connections to each` },
};
type Share = keyof typeof shares;

interface Cost {
  cpuMs: number;
  perSecond: number;
}

/**
 * Cost of a request when several processes share the port. Concurrent requests share their queries, so it matters
 * whether the same load is divided, or each process has as much load as a single one.
 */
export const processes: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_several');
  await using operator = await openOperator(databaseUrl);
  const { authorization: headers } = await seedSite(operator, 1_000);
  const costs = new Map<string, Cost[]>();
  for (let round = 0; round < bench.rounds; round++) {
    for (const count of counts) {
      for (const share of keysOf(shares)) {
        if (count === 1 && share === 'each') continue;
        await using service = await startService(databaseUrl, {
          WEB_CONCURRENCY: String(count),
          RATE_LIMIT_STORE: 'database',
        });
        const load = {
          url: `${service.url}/api/v1/posts/post-500`,
          pid: service.pid,
          headers,
          connections: shares[share].many(count),
        };
        const key = `${share} ${count}`;
        costs.set(key, [...(costs.get(key) ?? []), await costOf(load, { count, seconds: bench.seconds })]);
      }
    }
  }
  const of = (share: Share, count: Count, value: keyof Cost) =>
    median((costs.get(`${count === 1 ? 'divided' : share} ${count}`) ?? []).map((cost) => cost[value]));
  return keysOf(shares).flatMap((share) =>
    counts.flatMap((count) => {
      if (count === 1 && share === 'each') return [];
      const ratio = of(share, count, 'cpuMs') / of(share, 1, 'cpuMs');
      return {
        work: `CPU of a post by slug with ${count} server processes, ${shares[share].said}, to that with one`,
        target: count === 1 ? '' : `<= ${times(maxTimes)}`,
        result: `${times(ratio)} (CPU ${cpu(of(share, count, 'cpuMs'))}, ${perSecond(of(share, count, 'perSecond'))})`,
        met: count === 1 ? null : ratio <= maxTimes,
        values: { ratio, cpuMs: of(share, count, 'cpuMs'), perSecond: of(share, count, 'perSecond') },
      };
    }),
  );
};

/** Measures all processes together, after each of them is as warm as a single one would be. */
async function costOf(load: Load, { count, seconds }: { count: Count; seconds: number }): Promise<Cost> {
  await measure(load, 2 * count);
  const before = await familyCpuSeconds(load.pid);
  const { requestsPerSecond } = await measure(load, seconds);
  const after = await familyCpuSeconds(load.pid);
  return {
    cpuMs: cpuMsEach(before, after, requestsPerSecond * seconds) ?? Number.NaN,
    perSecond: requestsPerSecond,
  };
}

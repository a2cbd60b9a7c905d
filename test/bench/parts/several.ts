import type { Part } from '../bench.ts';
import { measure } from '../load.ts';
import { familyCpuSeconds } from '../processes.ts';
import { cpu, cpuMsEach, perSecond, times } from '../report.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

const counts = [1, 2, 4] as const;
const connections = 64;
const mostTimes = 1.15;

/** What a request costs when more processes share the port: the same work, divided. */
export const several: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_several');
  await using operator = await openOperator(databaseUrl);
  const { authorization: headers } = await seedSite(operator, 1_000);
  const rounds: Record<number, { cpuMs: number; perSecond: number }>[] = [];
  for (let round = 0; round < bench.rounds; round++) {
    const costs: Record<number, { cpuMs: number; perSecond: number }> = {};
    for (const count of counts) {
      await using service = await startService(databaseUrl, {
        WEB_CONCURRENCY: String(count),
        RATE_LIMIT_STORE: 'database',
      });
      const load = { url: `${service.url}/api/v1/posts/post-500`, pid: service.pid, headers, connections };
      await measure(load, 2);
      const before = await familyCpuSeconds(service.pid);
      const { requestsPerSecond } = await measure(load, bench.seconds);
      const after = await familyCpuSeconds(service.pid);
      costs[count] = {
        cpuMs: cpuMsEach(before, after, requestsPerSecond * bench.seconds) ?? Number.NaN,
        perSecond: requestsPerSecond,
      };
    }
    rounds.push(costs);
  }
  const of = (count: number, value: 'cpuMs' | 'perSecond') =>
    median(rounds.map((costs) => costs[count]?.[value] ?? Number.NaN));
  return counts.map((count) => {
    const ratio = of(count, 'cpuMs') / of(1, 'cpuMs');
    return {
      work: `CPU of a post by slug with ${count} server processes, to that with one`,
      target: count === 1 ? '' : `<= ${times(mostTimes)}`,
      result: `${times(ratio)} (CPU ${cpu(of(count, 'cpuMs'))}, ${perSecond(of(count, 'perSecond'))})`,
      met: count === 1 ? null : ratio <= mostTimes,
      values: { ratio, cpuMs: of(count, 'cpuMs'), perSecond: of(count, 'perSecond') },
    };
  });
};

import { sql } from 'kysely';
import type { Part } from '../bench.ts';
import { measure } from '../load.ts';
import { cpu, perSecond } from '../report.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

const minPerSecond = 2_000;

/** Page views that one server process stores, each before it is answered. */
export const track: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_track');
  await using operator = await openOperator(databaseUrl);
  await seedSite(operator, 10);
  await using service = await startService(databaseUrl);
  const load = {
    url: `${service.url}/trpc/site.analytics.track`,
    method: 'POST' as const,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    },
    body: JSON.stringify({ json: { path: '/posts/[<id>]', referrer: 'https://news.example.com/item' } }),
    connections: 50,
    pid: service.pid,
  };
  await measure(load, 2);
  const before = await countViews();
  const rates: number[] = [];
  const cpuMs: number[] = [];
  let answered = 0;
  for (let round = 0; round < bench.rounds; round++) {
    const measured = await measure(load, bench.seconds);
    rates.push(measured.requestsPerSecond);
    cpuMs.push(measured.cpuMs ?? Number.NaN);
    answered += Math.round(measured.requestsPerSecond * bench.seconds);
  }
  const stored = (await countViews()) - before;
  if (stored < answered * 0.99) throw new Error(`${answered} views were answered, ${stored} stored`);
  const is = median(rates);
  return [
    {
      work: 'page views tracked by one server process',
      target: `>= ${perSecond(minPerSecond)}`,
      result: `${perSecond(is)} (CPU ${cpu(median(cpuMs))} each)`,
      met: is >= minPerSecond,
      values: { perSecond: is, cpuMs: median(cpuMs), stored },
    },
  ];

  async function countViews(): Promise<number> {
    const { rows } = await sql<{ views: number }>`select count(*) as views from page_views`.execute(
      operator.database.em.getKysely(),
    );
    return rows[0]?.views ?? 0;
  }
};

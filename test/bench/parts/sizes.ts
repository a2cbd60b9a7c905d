import { sql } from 'kysely';
import type { Part } from '../bench.ts';
import { count, millis, times } from '../report.ts';
import { timeEach } from '../sequence.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

const sizes = [1_000, 100_000, 1_000_000];
const max = 1.2;

/** Reads right after a write, which all come from the database, cost the same for any number of posts. */
export const sizesOfSites: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_sizes');
  await using operator = await openOperator(databaseUrl);
  const sites: Awaited<ReturnType<typeof seedSite>>[] = [];
  for (const size of sizes) sites.push(await seedSite(operator, size));
  await using service = await startService(databaseUrl);
  const time = async ({ siteId, authorization }: (typeof sites)[number], path: string) => {
    await sql`update posts set featured = not featured where site_id = ${siteId} and slug = 'post-1'`.execute(
      operator.database.em.getKysely(),
    );
    const [tookMs = Number.NaN] = await timeEach([service.url + path], authorization);
    return tookMs;
  };
  const row = async (work: string, path: string) => {
    const rounds: number[][] = [];
    for (let n = 0; n < bench.seconds * bench.rounds * 20; n++) {
      const round: number[] = [];
      for (const site of sites) round.push(await time(site, path));
      rounds.push(round);
    }
    const warm = rounds.slice(rounds.length / 5);
    const medians = sizes.map((_, at) => median(warm.map((round) => round[at] ?? Number.NaN)));
    const is = Math.max(...medians) / Math.min(...medians);
    return {
      work: `${work} of ${sizes.map(count).join(' / ')} posts, slowest to fastest`,
      target: `<= ${times(max)}`,
      result: `${times(is)} (${medians.map(millis).join(' / ')})`,
      met: is <= max,
      values: Object.fromEntries([['ratio', is], ...sizes.map((size, at) => [`ms_${size}`, medians[at]])]),
    };
  };
  return [
    await row('first page and `total`', '/api/v1/posts'),
    await row('one post by slug', '/api/v1/posts/post-500'),
  ];
};

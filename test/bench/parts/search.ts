import { sql } from 'kysely';
import type { Bench, Part } from '../bench.ts';
import { count, millis } from '../report.ts';
import { addSearchable, words } from '../searchable.ts';
import { timeEach } from '../sequence.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

/** Searches of a site, each right after a write so that none is answered from memory: the slowest counts. */
export const search: Part = (bench) => searchIn(bench, 10_000, 100);

/** The same of a site ten times as large. Making it takes a minute or two. */
export const searchLarge: Part = (bench) => searchIn(bench, 100_000, 500);

async function searchIn(bench: Bench, posts: number, mostMs: number) {
  const databaseUrl = await bench.createDatabase(`bench_search_${posts}`);
  await using operator = await openOperator(databaseUrl);
  const db = operator.database.em.getKysely();
  const { siteId, authorization } = await seedSite(operator, 0);
  await sql`alter table posts set (autovacuum_enabled = false)`.execute(db);
  await addSearchable(operator, siteId, posts);
  await using service = await startService(databaseUrl);
  const paths = searchesOf(posts).map((query) => `${service.url}/api/${query}`);
  const slowest = async () => {
    const medians: number[] = [];
    for (const path of paths) {
      const tookMs: number[] = [];
      for (let n = 0; n < bench.rounds * 3; n++) {
        await sql`update posts set featured = not featured where site_id = ${siteId} and slug = 'post-1'`.execute(
          db,
        );
        tookMs.push(...(await timeEach([path], authorization)));
      }
      medians.push(median(tookMs));
    }
    return Math.max(...medians);
  };
  const row = async (statistics: string) => {
    const ms = await slowest();
    return {
      work: `slowest of ${paths.length} searches of ${count(posts)} posts of 2 KB, statistics ${statistics}`,
      target: `<= ${millis(mostMs)}`,
      result: millis(ms),
      met: ms <= mostMs,
      values: { ms },
    };
  };
  const before = await row('not gathered');
  await sql`vacuum analyze posts`.execute(db);
  return [before, await row('gathered')];
}

/** Each word at the first page, and the most common one in every order, at the last page and with a tag. */
function searchesOf(posts: number): string[] {
  const { everywhere } = words;
  const lastPage = Math.ceil(posts / 50);
  return [
    ...[...Object.values(words), 'nowhere'].map((word) => `v1/posts?q=${word}`),
    ...['created', 'title', '-title', 'updated'].map((sort) => `v1/posts?q=${everywhere}&sort=${sort}`),
    ...[1, Math.ceil(lastPage / 2), lastPage].map((page) => `v2/posts?q=${everywhere}&page=${page}`),
    `v2/posts?q=${everywhere}&tag=typescript`,
    'v2/posts?tag=typescript',
  ];
}

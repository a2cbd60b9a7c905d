import { sql } from 'kysely';
import type { Bench, Part } from '../bench.ts';
import { count, millis } from '../report.ts';
import { addSearchable, words } from '../searchable.ts';
import { timeEach } from '../sequence.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

/** Searches of a site, each right after a write so that none is answered from memory. The slowest counts. */
export const search: Part = (bench) => searchIn(bench, 10_000, { maxMs: 20, maxMsDeep: 20 });

/** Searches of a site ten times as large. Creating it takes a minute or two. */
export const searchLarge: Part = (bench) => searchIn(bench, 100_000, { maxMs: 50, maxMsDeep: 50 });

interface Bounds {
  maxMs: number;
  /** Limit for deep pages of a common word, for which all matches are sorted. */
  maxMsDeep: number;
}

async function searchIn(bench: Bench, posts: number, { maxMs, maxMsDeep }: Bounds) {
  const databaseUrl = await bench.createDatabase(`bench_search_${posts}`);
  await using operator = await openOperator(databaseUrl);
  const db = operator.database.em.getKysely();
  const { siteId, authorization } = await seedSite(operator, 0);
  await sql`alter table posts set (autovacuum_enabled = false)`.execute(db);
  await addSearchable(operator, siteId, posts);
  await using service = await startService(databaseUrl);
  const slowest = async (queries: readonly string[]) => {
    const medians: number[] = [];
    for (const path of queries.map((query) => `${service.url}/api/${query}`)) {
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
  const row = async (statistics: string, { queries, what, max }: Searches) => {
    const ms = await slowest(queries);
    return {
      work: `slowest of ${queries.length} ${what} of ${count(posts)} posts of 2 KB, statistics ${statistics}`,
      target: `<= ${millis(max)}`,
      result: millis(ms),
      met: ms <= max,
      values: { ms },
    };
  };
  const near = { queries: firstPages, what: 'searches', max: maxMs };
  const deep = { queries: deepPages(posts), what: 'deep pages of a common word', max: maxMsDeep };
  const before = [await row('not gathered', near), await row('not gathered', deep)];
  await sql`vacuum analyze posts`.execute(db);
  return [...before, await row('gathered', near), await row('gathered', deep)];
}

interface Searches {
  queries: readonly string[];
  what: string;
  max: number;
}

const { everywhere } = words;

/** First page for each word, and the most common word in every order and with a tag. */
const firstPages = [
  ...[...Object.values(words), 'nowhere'].map((word) => `v1/posts?q=${word}`),
  ...['created', 'title', '-title', 'updated'].map((sort) => `v1/posts?q=${everywhere}&sort=${sort}`),
  `v2/posts?q=${everywhere}`,
  `v2/posts?q=${everywhere}&tag=typescript`,
  'v2/posts?tag=typescript',
];

const deepPages = (posts: number) =>
  [posts / 100, posts / 50].map((page) => `v2/posts?q=${everywhere}&page=${page}`);

import { sql } from 'kysely';
import { z } from 'zod';
import { encodeCursor } from '../../../server/content/records/cursor.ts';
import type { Part } from '../bench.ts';
import { count, millis, times } from '../report.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

const posts = 100_000;
const perPage = 20;
const deepPage = 4_000;
const max = 1.3;

const Page = z.object({ next_cursor: z.string() });

/** A cursor is as fast for a deep page as for the first. Every page is requested once, so none comes from memory. */
export const depth: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_depth');
  await using operator = await openOperator(databaseUrl);
  const { siteId, authorization: headers } = await seedSite(operator, posts);
  const { rows } = await sql<{ id: string; created: Date }>`
    select id, created from posts where site_id = ${siteId} order by created desc, id desc
    limit 1 offset ${(deepPage - 1) * perPage - 1}`.execute(operator.database.em.getKysely());
  if (!rows[0]) throw new Error('there are fewer posts than pages');
  await using service = await startService(databaseUrl);
  let cursors = {
    first: '',
    deep: encodeCursor({ sort: '-created' }, { value: rows[0].created, id: rows[0].id }),
  };
  const tookMs: { first: number; deep: number }[] = [];
  for (let page = 0; page < bench.seconds * bench.rounds * 10; page++) {
    const first = await fetchPage(
      `${service.url}/api/v1/posts?limit=${perPage}&cursor=${cursors.first}`,
      headers,
    );
    const deep = await fetchPage(
      `${service.url}/api/v1/posts?limit=${perPage}&cursor=${cursors.deep}`,
      headers,
    );
    cursors = { first: first.nextCursor, deep: deep.nextCursor };
    tookMs.push({ first: first.tookMs, deep: deep.tookMs });
  }
  const firstMs = median(tookMs.map(({ first }) => first));
  const deepMs = median(tookMs.map(({ deep }) => deep));
  const is = median(tookMs.map(({ first, deep }) => deep / first));
  return [
    {
      work: `pages from ${count(deepPage)} on of ${count(posts)} posts, time to that of the first, ${tookMs.length} each`,
      target: `<= ${times(max)}`,
      result: `${times(is)} (${millis(deepMs)} to ${millis(firstMs)})`,
      met: is <= max,
      values: { ratio: is, firstMs, deepMs },
    },
  ];
};

async function fetchPage(url: string, headers: Record<string, string>) {
  const startedAt = performance.now();
  const answer = await fetch(url, { headers });
  const page: unknown = await answer.json();
  const tookMs = performance.now() - startedAt;
  return { tookMs, nextCursor: Page.parse(page).next_cursor };
}

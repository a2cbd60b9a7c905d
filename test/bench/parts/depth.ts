import { sql } from 'kysely';
import { encodeCursor } from '../../../server/content/cursor.ts';
import type { Part } from '../bench.ts';
import { compare } from '../compare.ts';
import { millis, times } from '../report.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';

const posts = 100_000;
const perPage = 20;
const deepPage = 4_000;
const most = 1.3;

/** A cursor leads as fast to a page far down as to the first. */
export const depth: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_depth');
  await using operator = await openOperator(databaseUrl);
  const { siteId, authorization: headers } = await seedSite(operator, posts);
  const { rows } = await sql<{ id: string; created: Date }>`
    select id, created from posts where site_id = ${siteId} order by created desc, id desc
    limit 1 offset ${(deepPage - 1) * perPage - 1}`.execute(operator.database.em.getKysely());
  if (!rows[0]) throw new Error('there are fewer posts than pages');
  const cursor = encodeCursor('-created', { value: rows[0].created, id: rows[0].id });
  await using service = await startService(databaseUrl);
  const page = (query: string) => ({
    url: `${service.url}/api/v1/posts?limit=${perPage}${query}`,
    pid: service.pid,
    headers,
    connections: 1,
  });
  const { median, ratio } = await compare({ first: page(''), deep: page(`&cursor=${cursor}`) }, bench);
  const is = ratio('deep', 'first', 'meanLatencyMs');
  const [firstMs, deepMs] = [median('first', 'meanLatencyMs'), median('deep', 'meanLatencyMs')];
  return [
    {
      work: `page ${deepPage.toLocaleString('en')} of ${posts.toLocaleString('en')} posts, time to that of page 1`,
      target: `<= ${times(most)}`,
      result: `${times(is)} (${millis(deepMs)} to ${millis(firstMs)})`,
      met: is <= most,
      values: { ratio: is, firstMs, deepMs },
    },
  ];
};

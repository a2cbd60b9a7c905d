import { sql } from 'kysely';
import type { Part } from '../bench.ts';
import { count, cpu, cpuMsEach, millis, times } from '../report.ts';
import { timeEach } from '../sequence.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

const posts = 100_000;
const maxMs = 50;

type Operator = Awaited<ReturnType<typeof openOperator>>;

/** Lists by one filter, in every order, each right after a write so that none is answered from memory. */
export const lists: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_lists');
  await using operator = await openOperator(databaseUrl);
  const { siteId, authorization } = await seedSite(operator, 0);
  await addPosts(operator, siteId);
  await using service = await startService(databaseUrl);
  const time = async (query: string) => {
    const tookMs: number[] = [];
    const before = await bench.databaseCpuSeconds();
    for (let n = 0; n < bench.rounds * 3; n++) {
      await sql`update posts set slug = slug where site_id = ${siteId} and slug = 'post-1'`.execute(
        operator.database.em.getKysely(),
      );
      tookMs.push(...(await timeEach([`${service.url}/api/v1/posts?${query}`], authorization)));
    }
    const databaseMs = cpuMsEach(before, await bench.databaseCpuSeconds(), tookMs.length);
    return { query, ms: median(tookMs), databaseMs };
  };
  const unfiltered = await time('sort=-created');
  const measured: (typeof unfiltered)[] = [];
  for (const query of questions) measured.push(await time(query));
  const row = (work: string, among: typeof measured, target: string) => {
    const { query, ms, databaseMs } = among.toSorted((a, b) => b.ms - a.ms)[0] ?? unfiltered;
    return {
      work: `slowest of ${among.length} lists of ${count(posts)} posts by ${work}, with total: ${query}`,
      target,
      result: `${millis(ms)} (${times(ms / unfiltered.ms)} the list by none; CPU of the database ${cpu(databaseMs)})`,
      met: target === '' ? null : ms <= maxMs,
      values: { ms, unfilteredMs: unfiltered.ms, databaseMs },
    };
  };
  const ofLists = measured.filter(({ query }) => query.startsWith('tag'));
  const ofFields = measured.filter(({ query }) => !query.startsWith('tag'));
  return [row('one field', ofFields, `<= ${maxMs} ms`), row('one list of texts', ofLists, `<= ${maxMs} ms`)];
};

const orders = ['-created', 'updated', 'title', '-title'];

/** Filters that match most posts, half of them, few, and none. */
const filters = [
  'featured=false',
  'featured=true',
  'access_tier=free',
  'access_tier=paid,members',
  'access_tier=none',
  'visibility=public,unlisted',
  'created_from=2025-02-01T00:00:00Z',
  'published_at_before=2025-02-01T00:00:00Z',
  'updated_from=2035-01-01T00:00:00Z',
  'tags=typescript',
  'tags=tag-7,tag-8',
  'tag=typescript',
];

const questions = filters.flatMap((filter) => orders.map((sort) => `${filter}&sort=${sort}`));

/** Adds posts with bodies of 2 KB. One in a hundred is featured, a tenth is paid, and a tenth is for members. */
async function addPosts({ database }: Operator, siteId: string) {
  const db = database.em.getKysely();
  await sql`
    insert into posts (site_id, id, title, slug, content, excerpt, visibility, is_draft, published_at, featured, tags, access_tier, created, updated)
    select ${siteId}, lpad(n::text, 15, '0'), 'Post ' || md5(n::text), 'post-' || n, repeat(md5(n::text) || ' lorem ipsum ', 45),
      'What post ' || n || ' is about', 'public', false, moment, n % 100 = 0, array['typescript', 'tag-' || n % 50],
      case n % 10 when 0 then 'paid' when 1 then 'members' else 'free' end, moment, moment + n % 7 * interval '1 day'
    from generate_series(1, ${posts}::integer) n, lateral (select timestamptz '2025-01-01' + n * interval '1 minute' as moment)
  `.execute(db);
  await sql`vacuum analyze posts`.execute(db);
}

import { sql } from 'kysely';
import { request } from 'undici';
import { createKey } from '../../../server/accounts/api-keys/store.ts';
import { createSite } from '../../../server/accounts/sites/store.ts';
import type { Bench, Part } from '../bench.ts';
import { compare } from '../compare.ts';
import type { Load } from '../load.ts';
import { peakMegabytes } from '../processes.ts';
import { count } from '../report.ts';
import { startService } from '../service.ts';
import { openOperator } from '../site.ts';
import { minOfTwin } from './site.ts';

const sites = 1_000;
const postsEach = 1_000;

/** Number of sites that are read at the same time, so that their answers are cached. */
const busySites = 100;
const connections = 50;
const maxMegabytes = 250;

/**
 * Pages of 100 among 1,000 sites, from memory, compared with API answers of the same size; and pages of all 1,000,
 * which do not fit in memory.
 */
export const manySites: Part = async (bench) => {
  const { databaseUrl, visitors } = await seed(bench);
  await using service = await startService(databaseUrl);
  const [first = {}] = visitors;
  const send = async (path: string, headers: Record<string, string>) => {
    const { statusCode, body } = await request(service.url + path, { headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
    return text.length;
  };
  const itemBytes = await send('/api/v1/posts?limit=1', first);
  const twinOf = async (path: string) =>
    `/api/v1/posts?limit=${Math.max(1, Math.round((await send(path, first)) / itemBytes))}`;
  const [home, post] = ['/', '/posts/post-500'];
  const paths = { home, homeTwin: await twinOf(home), post, postTwin: await twinOf(post) };
  const measureAmong = async (among: typeof visitors) => {
    for (const headers of among) for (const path of Object.values(paths)) await send(path, headers);
    const load = (path: string): Load => ({
      url: service.url + path,
      pid: service.pid,
      anyOf: among,
      connections,
    });
    return compare<keyof typeof paths>(
      {
        home: load(paths.home),
        homeTwin: load(paths.homeTwin),
        post: load(paths.post),
        postTwin: load(paths.postTwin),
      },
      bench,
    );
  };
  const measureRows = async (among: number, min?: number) => {
    const { row } = await measureAmong(visitors.slice(0, among));
    const of = `of ${count(among)} of ${count(sites)} sites of ${count(postsEach)} posts, to an API list of its size`;
    return [
      row(`home page ${of}`, 'home', { to: 'homeTwin', min }),
      row(`page of a post ${of}`, 'post', { to: 'postTwin', min }),
    ];
  };
  const busy = await measureRows(busySites, minOfTwin);
  const all = await measureRows(sites);
  const megabytes = await peakMegabytes(service.pid);
  return [
    ...busy,
    ...all,
    {
      work: 'most resident memory of the server meanwhile',
      target: `<= ${maxMegabytes} MB`,
      result: megabytes === null ? 'not told by this machine' : `${Math.round(megabytes)} MB`,
      met: megabytes === null ? null : megabytes <= maxMegabytes,
      values: { megabytes },
    },
  ];
};

/** Creates sites with a domain and a key each. `visitors` contains the headers of each site. */
async function seed(bench: Bench) {
  const databaseUrl = await bench.createDatabase('bench_sites');
  await using operator = await openOperator(databaseUrl);
  const visitors: Record<string, string>[] = [];
  for (let n = 0; n < sites; n++) {
    const host = `site-${n}.example.com`;
    const siteId = await createSite(operator, { name: `Site ${n}`, plan: 'pro', custom_domain: host });
    const { key } = await createKey(operator, siteId, { name: 'bench', scopes: ['read'] });
    visitors.push({ host, authorization: `Bearer ${key}` });
  }
  const db = operator.database.em.getKysely();
  await sql`
    insert into posts (site_id, id, title, slug, content, excerpt, visibility, is_draft, published_at, featured, tags, access_tier, created, updated)
    select s.id, lpad(n::text, 15, '0'), 'Post ' || n, 'post-' || n, repeat(md5(n::text) || ' lorem ipsum ', 45),
      'What post ' || n || ' is about', 'public', false, moment, false, array['typescript', 'tag-' || n % 50], 'free', moment, moment
    from sites s, generate_series(1, ${postsEach}::integer) n,
      lateral (select timestamptz '2025-01-01' + n * interval '1 minute' as moment)`.execute(db);
  await sql`vacuum analyze`.execute(db);
  return { databaseUrl, visitors };
}

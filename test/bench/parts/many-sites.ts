import { sql } from 'kysely';
import { createKey } from '../../../server/features/api-keys/store.ts';
import { createSite } from '../../../server/features/sites/store.ts';
import type { Bench, Part } from '../bench.ts';
import { compare } from '../compare.ts';
import type { Load } from '../load.ts';
import { peakMegabytes } from '../processes.ts';
import { cpu, perSecond, times } from '../report.ts';
import { startService } from '../service.ts';
import { openOperator } from '../site.ts';

const sites = 1_000;
const postsEach = 1_000;
const connections = 50;
const least = 0.9;

/** Pages of any of a thousand sites, against answers of their API of the same size: none is favoured by being alone. */
export const manySites: Part = async (bench) => {
  const { databaseUrl, visitors } = await seed(bench);
  await using service = await startService(databaseUrl);
  const [first = {}] = visitors;
  const bytesOf = async (path: string) =>
    (await (await fetch(service.url + path, { headers: first })).text()).length;
  const itemBytes = await bytesOf('/api/v1/posts?limit=1');
  const load = (path: string): Load => ({
    url: service.url + path,
    pid: service.pid,
    anyOf: visitors,
    connections,
  });
  const twinOf = async (path: string) =>
    load(`/api/v1/posts?limit=${Math.max(1, Math.round((await bytesOf(path)) / itemBytes))}`);
  const loads = {
    home: load('/'),
    homeTwin: await twinOf('/'),
    post: load('/posts/post-500'),
    postTwin: await twinOf('/posts/post-500'),
  };
  const { median, ratio } = await compare<keyof typeof loads>(loads, bench);
  const row = (work: string, name: 'home' | 'post', other: 'homeTwin' | 'postTwin') => {
    const is = ratio(name, other);
    const [own, theirs] = [median(name, 'requestsPerSecond'), median(other, 'requestsPerSecond')];
    const [cpuMs, otherCpuMs] = [median(name, 'cpuMs'), median(other, 'cpuMs')];
    return {
      work,
      target: `>= ${times(least)}`,
      result: `${times(is)} (${perSecond(own)} to ${perSecond(theirs)}; CPU ${cpu(cpuMs)} to ${cpu(otherCpuMs)})`,
      met: is >= least,
      values: { ratio: is, perSecond: own, cpuMs, otherPerSecond: theirs, otherCpuMs },
    };
  };
  const megabytes = await peakMegabytes(service.pid);
  return [
    row('home page of any of 1,000 sites of 1,000 posts, to an API list of its size', 'home', 'homeTwin'),
    row('page of a post of any of them, to an API list of its size', 'post', 'postTwin'),
    {
      work: 'most resident memory of the server meanwhile',
      target: '<= 250 MB',
      result: megabytes === null ? 'not told by this machine' : `${Math.round(megabytes)} MB`,
      met: megabytes === null ? null : megabytes <= 250,
      values: { megabytes },
    },
  ];
};

/** Each site at a domain of its own, with a key; `visitors` are the headers that name one of them. */
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

import { sql } from 'kysely';
import type { Part } from '../bench.ts';
import { compare } from '../compare.ts';
import type { Load } from '../load.ts';
import { cpuSeconds } from '../processes.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';

const posts = 1_000;
const coldPosts = 300;
const connections = 50;
const maxCpuMs = 6;

/** Minimum speed of a page, relative to an API answer of the same size. */
export const minOfTwin = 0.9;

/** Pages of the public site: from memory compared with an API answer of the same size, and right after a write. */
export const site: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_site');
  await using operator = await openOperator(databaseUrl);
  const { siteId, authorization } = await seedSite(operator, posts);
  await sql`update posts set content = ${longBody} || id where site_id = ${siteId} and id <= ${`${coldPosts}`.padStart(15, '0')}`.execute(
    operator.database.em.getKysely(),
  );
  await using service = await startService(databaseUrl);
  const load = (path: string, headers = {}): Load => ({
    url: service.url + path,
    pid: service.pid,
    headers,
    connections,
  });
  const sizeOf = async (path: string) =>
    (await (await fetch(service.url + path, { headers: authorization })).text()).length;
  const itemSize = await sizeOf('/api/v1/posts?limit=1');
  /** Returns the API list that is about as long as a page. */
  const twin = async (path: string) =>
    `/api/v1/posts?limit=${Math.max(1, Math.round((await sizeOf(path)) / itemSize))}`;
  const loads = {
    home: load('/'),
    homeTwin: load(await twin('/'), authorization),
    post: load('/posts/post-500'),
    postTwin: load(await twin('/posts/post-500'), authorization),
  };
  const { row } = await compare<keyof typeof loads>(loads, bench);
  const coldMs = await cpuOfCold(service);
  return [
    row('home page, to an API list of its size', 'home', { to: 'homeTwin', min: minOfTwin }),
    row('page of a post, to an API list of its size', 'post', { to: 'postTwin', min: minOfTwin }),
    {
      work: `CPU of the first page of a post of 9 KB, ${coldPosts} posts`,
      target: `<= ${maxCpuMs} ms`,
      result: coldMs === null ? 'not told by this machine' : `${coldMs.toFixed(2)} ms`,
      met: coldMs === null ? null : coldMs <= maxCpuMs,
      values: { coldMs },
    },
  ];
};

/** About 9 KB of prose with links, emphasis and lists. */
const longBody = Array.from(
  { length: 12 },
  (_, number) => `## Part ${number}

Every Tuesday, eleven invoices went missing. Never ten, never twelve. We looked where everyone looks *first*: the network, the deploy, the intern. All three had alibis. Then somebody noticed that Tuesday was the day the finance team opened the [quarterly report](https://example.com/${number}), which took a lock, which made one transaction commit **late**.

Our consumer asked for everything with an id above the last one it saw. Ids are handed out when a transaction starts writing, not when it commits. So id 1,004 became visible before id 1,003, the consumer moved on, and the rest arrived in a room that everybody had left.

- first, \`explain analyze\`
- then coffee
`,
).join('\n');

async function cpuOfCold({ url, pid }: { url: string; pid: number }): Promise<number | null> {
  for (let number = 1; number <= 50; number += 1) await read(`${url}/posts/post-${number}`);
  const before = await cpuSeconds(pid);
  for (let number = 51; number <= coldPosts; number += 1) await read(`${url}/posts/post-${number}`);
  const after = await cpuSeconds(pid);
  return before === null || after === null ? null : ((after - before) / (coldPosts - 50)) * 1_000;
}

const read = async (url: string) => void (await (await fetch(url)).text());

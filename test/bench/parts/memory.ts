import { sorts } from '../../../shared/contract/pagination.ts';
import type { Part } from '../bench.ts';
import { type Load, measure } from '../load.ts';
import { residentMegabytes } from '../processes.ts';
import { times } from '../report.ts';
import { startPlain, startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';

const maxMegabytes = 320;

/** Number of rounds of load over which memory must stay level: ten minutes, because `longSeconds` is one. */
const rounds = 10;
const maxGrowth = 1.1;

/**
 * Memory of the server process after reads and writes of 50 connections that fill its cache, and its growth over more
 * rounds. Compared with plain Fastify and `pg`.
 */
export const memory: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_memory');
  await using operator = await openOperator(databaseUrl);
  const { siteId, authorization: headers } = await seedSite(operator, 1_000);
  await using service = await startService(databaseUrl);
  await using plain = await startPlain(databaseUrl, { siteId });
  const run = (
    server: { url: string; pid: number },
    load: Partial<Load> & { path: string; seconds: number },
  ) =>
    measure(
      { url: server.url + load.path, pid: server.pid, headers, connections: 50, ...load },
      Math.ceil(load.seconds),
    );
  const use = async (seconds: number) => {
    await fillCache(service.url, headers);
    await run(service, { path: '/api/v1/posts', seconds: seconds * 0.6 });
    await run(service, { path: '/trpc/v1.posts.list', seconds: seconds * 0.1 });
    await run(service, { path: '/api/v1/posts/post-500', seconds: seconds * 0.2 });
    await run(service, { ...newPost(headers), seconds: seconds * 0.1 });
    return residentMegabytes(service.pid);
  };
  const first = await use(bench.longSeconds);
  await run(plain, { path: '/posts', seconds: bench.seconds });
  const other = await residentMegabytes(plain.pid);
  let last = first;
  for (let round = 1; round < rounds; round++) last = await use(bench.longSeconds);
  const growth = first === null || last === null ? null : last / first;
  return [
    {
      work: 'resident memory of the server after reads and writes, its cache full',
      target: `<= ${maxMegabytes} MB`,
      result: `${megabytes(first)} (plain Fastify + pg after its list: ${megabytes(other)})`,
      met: first === null ? null : first <= maxMegabytes,
      values: { megabytes: first, plainMegabytes: other },
    },
    {
      work: `the same after ${rounds} times as long, ${(rounds * bench.longSeconds) / 60} minutes`,
      target: `<= ${times(maxGrowth)}`,
      result: `${growth === null ? megabytes(null) : times(growth)} (${megabytes(last)})`,
      met: growth === null ? null : growth <= maxGrowth,
      values: { megabytes: last, growth },
    },
  ];
};

const newPost = (headers: Record<string, string>) => ({
  path: '/api/v1/posts',
  method: 'POST' as const,
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify({ title: 'Post [<id>]', content: 'lorem ipsum '.repeat(170) }),
});

/** Requests more answers than the cache may keep: about 200 MB. */
async function fillCache(url: string, headers: Record<string, string>) {
  for (const sort of sorts) {
    for (let limit = 1; limit <= 100; limit++) {
      const answer = await fetch(`${url}/api/v1/posts?sort=${sort}&limit=${limit}`, { headers });
      if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
    }
  }
}

const megabytes = (size: number | null) =>
  size === null ? 'not told by this machine' : `${Math.round(size)} MB`;

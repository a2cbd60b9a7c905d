import type { Part } from '../bench.ts';
import { type Load, measure } from '../load.ts';
import { residentMegabytes } from '../processes.ts';
import { startPlain, startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';

const mostMegabytes = 250;

/** What the server's process holds right after reads and writes of 50 connections, and what plain Fastify and `pg` hold. */
export const memory: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_memory');
  await using operator = await openOperator(databaseUrl);
  const { siteId, authorization: headers } = await seedSite(operator, 1_000);
  await using service = await startService(databaseUrl);
  await using plain = await startPlain(databaseUrl, { siteId });
  const run = (server: { url: string; pid: number }, path: string, more: Partial<Load> = {}) =>
    measure({ url: server.url + path, pid: server.pid, headers, connections: 50, ...more }, bench.seconds);
  await run(service, '/api/v1/posts');
  await run(service, '/trpc/v1.posts.list');
  await run(service, '/api/v1/posts/post-500');
  const body = JSON.stringify({ title: 'Post [<id>]', content: 'lorem ipsum '.repeat(170) });
  await run(service, '/api/v1/posts', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  });
  await run(service, '/api/v1/posts');
  await run(plain, '/posts');
  const is = await residentMegabytes(service.pid);
  const other = await residentMegabytes(plain.pid);
  return [
    {
      work: 'resident memory of the server after reads and writes',
      target: `<= ${mostMegabytes} MB`,
      result: `${megabytes(is)} (plain Fastify + pg after its list: ${megabytes(other)})`,
      met: is === null ? null : is <= mostMegabytes,
      values: { megabytes: is, plainMegabytes: other },
    },
  ];
};

const megabytes = (size: number | null) =>
  size === null ? 'not told by this machine' : `${Math.round(size)} MB`;

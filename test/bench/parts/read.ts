import type { Part } from '../bench.ts';
import { compare } from '../compare.ts';
import type { Load } from '../load.ts';
import { millis, perSecond, times } from '../report.ts';
import { startPlain, startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';

/** Public posts of the site: enough for its count to cost something, few enough for it not to be all. */
const posts = 1_000;

/** Reads with a key and the limiter on, against plain Fastify and `pg` with the same SQL. */
export const read: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_read');
  await using operator = await openOperator(databaseUrl);
  const { siteId, authorization: headers } = await seedSite(operator, posts);
  await using service = await startService(databaseUrl);
  await using plain = await startPlain(databaseUrl, { siteId });
  const load = (server: { url: string; pid: number }, path: string): Load => ({
    url: server.url + path,
    pid: server.pid,
    headers,
    connections: 10,
  });
  const { median, ratio } = await compare(
    {
      list: load(service, '/api/v1/posts'),
      plainList: load(plain, '/posts'),
      slug: load(service, '/api/v1/posts/post-500'),
      plainSlug: load(plain, '/posts/post-500'),
      rpc: load(service, '/trpc/v1.posts.list'),
      memory: load(plain, '/memory'),
    },
    bench,
  );
  const describe = (name: Parameters<typeof median>[0]) => ({
    perSecond: median(name, 'requestsPerSecond'),
    cpuMs: median(name, 'cpuMs'),
  });
  const row = (
    work: string,
    name: Parameters<typeof median>[0],
    against: Parameters<typeof median>[0],
    least?: number,
  ) => {
    const is = ratio(name, against);
    const [own, other] = [describe(name), describe(against)];
    return {
      work,
      target: least === undefined ? '' : `>= ${times(least)}`,
      result: `${times(is)} (${perSecond(own.perSecond)} of ${perSecond(other.perSecond)}; CPU ${millis(own.cpuMs)} to ${millis(other.cpuMs)})`,
      met: least === undefined ? null : is >= least,
      values: {
        ratio: is,
        perSecond: own.perSecond,
        cpuMs: own.cpuMs,
        otherPerSecond: other.perSecond,
        otherCpuMs: other.cpuMs,
      },
    };
  };
  return [
    row('list of 20 posts, unchanged since, to plain Fastify + pg', 'list', 'plainList', 0.6),
    row('the same, to Fastify answering from memory', 'list', 'memory'),
    row('one post by slug, unchanged since, to plain Fastify + pg', 'slug', 'plainSlug'),
    row('the list over RPC, to the list over REST', 'rpc', 'list'),
  ];
};

import type { Part } from '../bench.ts';
import { compare } from '../compare.ts';
import type { Load } from '../load.ts';
import { startPlain, startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';

/** Number of public posts: enough for their count to cost something, without dominating. */
const posts = 1_000;

const connections = 50;

/**
 * Reads without writes before them, with a key and the limiter on. Compared with plain Fastify and `pg` with the same
 * SQL, and with Fastify that returns the same bytes from memory.
 */
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
    connections,
  });
  const unchanged = async (path: string): Promise<Load> => {
    // Entity tags differ by coding, and the load accepts none.
    const requested = { headers: { ...headers, 'accept-encoding': 'identity' } };
    const { headers: seen } = await fetch(service.url + path, requested);
    const known = { ...headers, 'if-none-match': seen.get('etag') ?? '' };
    return { ...load(service, path), headers: known, expect: '3xx' };
  };
  const loads = {
    list: load(service, '/api/v1/posts'),
    listPacked: { ...load(service, '/api/v1/posts'), headers: { ...headers, 'accept-encoding': 'br' } },
    listPlain: load(plain, '/posts'),
    listMemory: load(plain, '/memory/posts'),
    rpc: load(service, '/trpc/v1.posts.list?batch=1&input=%7B%7D'),
    post: load(service, '/api/v1/posts/post-500'),
    postPlain: load(plain, '/posts/post-500'),
    postMemory: load(plain, '/memory/post'),
    unchanged: await unchanged('/api/v1/posts'),
    unchangedMemory: { ...load(plain, '/memory/unchanged'), expect: '3xx' as const },
  };
  const { row } = await compare<keyof typeof loads>(loads, bench);
  return [
    row('list of 20 posts, to plain Fastify + pg', 'list', { to: 'listPlain', min: 4 }),
    row('the same, to Fastify from memory', 'list', { to: 'listMemory', min: 0.6 }),
    row('one post by slug, to plain Fastify + pg', 'post', { to: 'postPlain' }),
    row('the same, to Fastify from memory', 'post', { to: 'postMemory', min: 0.45 }),
    row('304 of the list, to an empty 304 of Fastify', 'unchanged', { to: 'unchangedMemory', min: 0.55 }),
    row('the list over RPC, to the list over REST', 'rpc', { to: 'list', min: 0.4 }),
    row('the list in Brotli, to the list as it is', 'listPacked', { to: 'list', min: 1 }),
  ];
};

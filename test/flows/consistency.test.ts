import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { setKillSwitch, toolCall } from '../support/assistant.ts';
import { createRandom, newSeed } from '../support/random.ts';
import {
  absent,
  createClients,
  logIsWhole,
  readLog,
  shownOf,
  titleOf,
  type WayToRead,
} from '../support/registers.ts';
import { startServerProcess, withoutLimits } from '../support/server-process.ts';

const rounds = 80;
/** Number of reads per reader and round. The last reads follow its writes and are answered from the cache. */
const readsPerRound = 4;
/** Rounds in which a process is killed during writes and replaced. */
const kills = [20, 40, 60];

/**
 * Slugs of posts. The last one is created and deleted repeatedly; the event log contains only updates of the others.
 */
const [first, second, fleeting] = ['first', 'second', 'fleeting'];
const permanent = [first, second];
const all = [...permanent, fleeting];

test(`posts are linearizable registers for all readers and writers, over two processes at a time while ${kills.length} are killed and replaced`, async () => {
  const seed = newSeed();
  const random = createRandom(seed);
  await using app = await startApp();
  await setKillSwitch(app, 'on');
  const key = await app.seed.key({
    scopes: ['read', 'write', 'read:content', 'mcp:read', 'mcp:posts:write'],
  });
  const ids = new Map<string, string>();
  for (const slug of permanent) {
    const { body } = await app.post('/api/v1/posts', { key, body: { slug, title: titleOf(slug, '0') } });
    ids.set(slug, (body as { id: string }).id);
  }
  await using running = new AsyncDisposableStack();
  const start = async () => running.use(await startServerProcess(app.databaseUrl, withoutLimits));
  const servers = await Promise.all([start(), start()]);
  const baseUrls = () => servers.map(({ baseUrl }) => baseUrl);
  const clients = createClients({ key, random, baseUrls });
  const { counted } = clients;
  const versions = new Map<string, number>();

  function nextVersion(slug: string) {
    const version = (versions.get(slug) ?? 0) + 1;
    versions.set(slug, version);
    return String(version);
  }

  /** Updates a post over a random surface, half of the time with an idempotency key if the surface accepts one. */
  async function update(slug: string, on?: { shown: string; tag: string }) {
    const wrote = nextVersion(slug);
    const id = ids.get(slug) ?? '';
    const title = titleOf(slug, wrote);
    const ways = [
      { method: 'PATCH' as const, path: `/api/v1/posts/${id}`, body: { title } },
      { method: 'POST' as const, path: '/trpc/v1.posts.update', body: { json: { id, title } } },
      { method: 'POST' as const, path: '/mcp', body: toolCall('update_post', { id, title }) },
    ];
    const way = ways[on ? 0 : Math.floor(random() * ways.length)];
    if (!way) throw new RangeError('no way');
    const isRepeated = way.path !== '/mcp' && random() < 0.5;
    await clients.write({ ...way, name: slug, wrote, isRepeated, ...(on && { on }) });
  }

  async function updateOnTop(slug: string) {
    const answer = await clients.ask({ path: `/api/v1/posts/${slug}` });
    if (answer) await update(slug, { shown: shownOf(slug, answer.text), tag: answer.tag });
  }

  async function comeOrGo() {
    const id = ids.get(fleeting);
    const known = { name: fleeting, isRepeated: true };
    if (id) {
      ids.delete(fleeting);
      await clients.write({ ...known, method: 'DELETE', path: `/api/v1/posts/${id}`, wrote: absent });
      return;
    }
    const wrote = nextVersion(fleeting);
    const body = { slug: fleeting, title: titleOf(fleeting, wrote) };
    const answer = await clients.write({ ...known, method: 'POST', path: '/api/v1/posts', body, wrote });
    ids.set(fleeting, (JSON.parse(answer?.text ?? '') as { id: string }).id);
  }

  async function killOne() {
    const [victim] = servers.splice(Math.floor(random() * servers.length), 1);
    victim?.signal('SIGKILL');
    servers.push(await start());
  }

  const readers = waysToRead(ids).map(clients.createReader);
  const readSome = async (read: () => Promise<void>) => {
    for (let time = 0; time < readsPerRound; time++) await read();
  };
  let replaced = Promise.resolve();
  for (let round = 1; round <= rounds; round++) {
    const writing = [update(first), updateOnTop(first), updateOnTop(first), update(second), comeOrGo()];
    const reading = readers.map(readSome);
    if (kills.includes(round)) {
      await Promise.race(writing);
      replaced = replaced.then(killOne);
    }
    await Promise.all([...writing, ...reading]);
  }
  await replaced;

  const { database } = app.deps;
  await logIsWhole(new URL(app.databaseUrl).pathname.slice(1), (query) => database.em.fork().execute(query));
  const log = await readLog(clients.ask);
  expect([seed, clients.contradictionOf(fleeting, absent)]).toEqual([seed, null]);
  for (const slug of permanent) {
    const polled = log.filter((event) => event.slug === slug).map(({ title }) => shownOf(slug, title));
    expect(new Set(polled).size).toBe(polled.length);
    expect([seed, slug, clients.contradictionOf(slug, '0', polled)]).toEqual([seed, slug, null]);
  }
  expect(counted).toSatisfy(({ notModified, lost, refused }) => Math.min(notModified, lost, refused) > 0);
});

/** Returns requests over every surface: both API versions, single and batched RPC calls, MCP tools, pages and feeds. */
const waysToRead = (ids: Map<string, string>): WayToRead[] => [
  ...all.flatMap((slug) => [
    { shows: [slug], path: `/api/v1/posts/${slug}` },
    { shows: [slug], path: rpcPath('v1.posts.get', { slug }) },
    { shows: [slug], path: `/posts/${slug}` },
    { shows: [slug], path: '/mcp', method: 'POST' as const, body: toolCall('get_post', { slug }) },
  ]),
  ...permanent.map((slug) => ({ shows: [slug], path: `/api/v2/posts/${ids.get(slug)}` })),
  ...[
    '/api/v1/posts',
    '/api/v2/posts',
    rpcPath('v2.posts.list', {}),
    rpcPath('v1.posts.list,v2.posts.list', {}, {}),
    '/posts',
    '/',
    '/feed.xml',
    '/feed.json',
    '/llms.txt',
  ].map((path) => ({ shows: all, path })),
  { shows: all, path: '/mcp', method: 'POST', body: toolCall('list_posts') },
];

/** Returns the path of one call, or of several in a batch. */
function rpcPath(procedures: string, ...inputs: object[]) {
  const wrapped = inputs.map((json) => ({ json }));
  const input = encodeURIComponent(JSON.stringify(wrapped.length > 1 ? { ...wrapped } : wrapped[0]));
  return `/trpc/${procedures}?${wrapped.length > 1 ? 'batch=1&' : ''}input=${input}`;
}

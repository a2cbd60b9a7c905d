import pg from 'pg';
import { expect, test } from 'vitest';
import { startApp, type TestApp, testSecretKey } from '../support/app.ts';
import { createCaller } from '../support/http.ts';
import { findFreePort, startNode } from '../support/process.ts';

const processCount = 4;
const readCount = 24_000;
/** So that many reads fall between two writes, where memory answers. */
const readsPerWrite = 80;

type Call = ReturnType<typeof createCaller>;

/** A way to read, and where its answer shows which write it has seen. */
interface WayToRead {
  collection: 'posts' | 'projects';
  path: string;
  shows: RegExp;
}

test('no process answers with less than what any process has answered a write with', {
  timeout: 180_000,
}, async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['read', 'write', 'read:content'] });
  const { body } = await app.post('/api/v1/posts', { key, body: { title: '0', slug: 'post' } });
  const { id } = body as { id: string };
  await using processes = new AsyncDisposableStack();
  const calls = await Promise.all(
    Array.from({ length: processCount }, () => startProcess(processes, app.databaseUrl)),
  );
  const answered = { posts: 0, projects: 0 };
  let writes = Promise.resolve();
  const seen = { reads: 0, notModified: 0, stale: [] as unknown[] };

  async function write() {
    const version = answered.projects + 1;
    const call = pick(calls, version);
    const title = String(version);
    const update = await call('PATCH', `/api/v1/posts/${id}`, { key, body: { title } });
    expect(update.status).toBe(200);
    answered.posts = version;
    const create = await call('POST', '/api/v1/projects', { key, body: { title } });
    expect(create.status).toBe(201);
    answered.projects = version;
  }

  async function read({ collection, path, shows }: WayToRead) {
    let last = { tag: '', version: -1 };
    for (let turn = 0; seen.reads < readCount; turn += 1) {
      const oldest = answered[collection];
      const headers = last.tag && turn % 3 ? { 'if-none-match': last.tag } : {};
      const { status, body, headers: got } = await pick(calls, turn)('GET', path, { key, headers });
      const version = status === 304 ? last.version : Number(shows.exec(JSON.stringify(body))?.[1]);
      seen.reads += 1;
      if (seen.reads % readsPerWrite === 0) writes = writes.then(write);
      if (status === 304) seen.notModified += 1;
      if (!(version >= oldest)) seen.stale.push({ path, status, version, oldest });
      last = { tag: got.get('etag') ?? '', version };
    }
  }

  await Promise.all(waysToRead(id).map(read));
  await writes;

  expect(seen.stale).toEqual([]);
  expect(seen.notModified).toBeGreaterThan(0);
  await processes.disposeAsync();
  expect(await readsOfTable(app, 'posts')).toBeLessThan(seen.reads / 2);
});

const waysToRead = (id: string): WayToRead[] => [
  ...[
    '/api/v1/posts',
    '/api/v1/posts/post',
    '/api/v2/posts',
    `/api/v2/posts/${id}`,
    rpcPath('v1.posts.get', { slug: 'post' }),
    rpcPath('v2.posts.list', {}),
  ].map((path) => ({ collection: 'posts' as const, path, shows: /"title":"(\d+)"/ })),
  ...['/api/v1/projects?limit=1', '/api/v2/projects?per_page=1'].map((path) => ({
    collection: 'projects' as const,
    path,
    shows: /"total":(\d+)/,
  })),
];

const rpcPath = (procedure: string, input: object) =>
  `/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify({ json: input }))}`;

async function startProcess(processes: AsyncDisposableStack, databaseUrl: string): Promise<Call> {
  const port = String(await findFreePort());
  const env = {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    SECRET_KEY: testSecretKey,
    PORT: port,
    LOG_LEVEL: 'info',
    RATE_LIMIT_NORMAL: 'off',
  };
  await processes.use(startNode(['server/main.ts'], env)).says(/"msg":"ready"/);
  return createCaller(`http://127.0.0.1:${port}`);
}

/** How often a table was read, as PostgreSQL counted it once all who read it had disconnected. */
async function readsOfTable(app: TestApp, table: string): Promise<number> {
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  const counted =
    'select seq_scan + coalesce(idx_scan, 0) as scans from pg_stat_user_tables where relname = $1';
  const { rows } = await client.query<{ scans: string }>(counted, [table]);
  await client.end();
  return Number(rows[0]?.scans);
}

function pick<T>(from: readonly T[], index: number): T {
  const item = from[index % from.length];
  if (item === undefined) throw new RangeError('nothing to pick from');
  return item;
}

import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { columnsOf } from '../../shared/db/entities/content.ts';
import { startApp, type TestApp } from '../support/app.ts';

test('public_count is correct after 64 concurrent writers, a rollback and direct SQL', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const key = await app.seed.key();
  await Promise.all(Array.from({ length: 64 }, (_, writer) => write(app, key, writer)));
  await directSql(app, siteId);
  const state = await stateOf(app);
  expect(state.map(({ collection, public_count }) => [collection, public_count])).toEqual(
    state.map(({ collection, real_count }) => [collection, real_count]),
  );
  expect(state.map(({ collection }) => collection)).toContain('posts');
});

test('every write to a collection raises its version, and writes to others do not', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const versions = async () =>
    Object.fromEntries((await stateOf(app)).map(({ collection, version }) => [collection, version]));
  const { body } = await app.post('/api/v1/posts', { key, body: { title: 'One' } });
  const { id } = body as { id: string };
  const first = await versions();
  await app.patch(`/api/v1/posts/${id}`, { key, body: { title: 'Two' } });
  await app.post('/api/v1/skills', { key, body: { name: 'SQL' } });
  await app.delete(`/api/v1/posts/${id}`, { key });
  expect(await versions()).toEqual({ ...first, posts: (first.posts ?? 0) + 2, skills: 1 });
});

test('a write does not wait for another transaction that writes the same collection, and both count', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const { body } = await app.post('/api/v1/posts', { key, body: { title: 'One' } });
  const other = await connect(app);
  await other.query('begin');
  await other.query('update posts set featured = true where id = $1', [(body as { id: string }).id]);
  const { status } = await app.post('/api/v1/posts', { key, body: { title: 'Two' } });
  await other.query('commit');
  await other.end();
  expect(status).toBe(201);
  expect((await stateOf(app))[0]).toMatchObject({ collection: 'posts', version: 3, public_count: 2 });
});

test('a concurrent reader always sees a version and a count that match the rows of its snapshot', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await app.post('/api/v1/posts', { key, body: { title: 'First' } });
  let writing = 8;
  const write = async (writer: number) => {
    const client = await connect(app);
    for (let n = 0; n < 20; n++) await client.query(copyOfFirst, [`copy-${writer}-${n}`]);
    await client.end();
    writing -= 1;
  };
  const written = Promise.all(Array.from({ length: writing }, (_, writer) => write(writer)));
  const reader = await connect(app);
  const wrong: unknown[] = [];
  while (writing > 0) {
    const { rows } = await reader.query<Record<string, number>>(`
      select version::integer, public_count, (select count(*) from posts)::integer as commits
      from collection_state where collection = 'posts'`);
    wrong.push(...rows.filter((row) => row.version !== row.commits || row.public_count !== row.commits));
  }
  await Promise.all([written, reader.end()]);
  expect(wrong).toEqual([]);
});

test('truncating a collection invalidates its cached responses and its count', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await app.post('/api/v1/posts', { key, body: { title: 'One' } });
  expect(await app.get('/api/v1/posts', { key })).toMatchObject({ body: { total: 1 } });
  await sql`truncate posts`.execute(app.deps.database.em.getKysely());
  expect(await app.get('/api/v1/posts', { key })).toEqual({
    status: 200,
    body: { data: [], total: 0, count: 0, per_page: 20 },
  });
});

test('a write of content reads only the counters of its own site and collection', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const key = await app.seed.key();
  await app.post('/api/v1/posts', { key, body: { title: 'First' } });
  const database = app.deps.database.em.getKysely();
  await sql`
    insert into collection_changes (site_id, collection, slot, version, public_count)
    select 'other-' || number, 'posts', 0, 1, 1 from generate_series(1, 2000) as number`.execute(database);
  await sql`analyze collection_changes`.execute(database);
  const client = await connect(app);
  await client.query('set enable_seqscan = off');
  const changes: [statement: string, values: string[]][] = [
    [copyOfFirst, ['second']],
    ['update posts set featured = not featured where site_id = $1', [siteId]],
    ['delete from posts where site_id = $1', [siteId]],
  ];
  const read: number[] = [];
  for (const [statement, values] of changes) {
    await client.query('begin');
    await client.query(statement, values);
    const { rows } = await client.query<{ read: number }>(`
      select (seq_tup_read + idx_tup_fetch)::integer as read
      from pg_stat_xact_user_tables where relname = 'collection_changes'`);
    await client.query('commit');
    read.push(...rows.map((row) => row.read));
  }
  await client.end();
  expect(Math.max(...read)).toBeLessThan(10);
});

/** One concurrent writer: creates, hides, publishes and deletes posts, each writer in another combination. */
async function write(app: TestApp, key: string, writer: number) {
  const { body } = await app.post('/api/v1/posts', {
    key,
    body: { title: `Post ${writer % 8}`, is_draft: writer % 3 === 0 },
  });
  const { id } = body as { id: string };
  await app.patch(`/api/v1/posts/${id}`, {
    key,
    body: { visibility: writer % 2 === 0 ? 'private' : 'public' },
  });
  await app.post('/api/v1/skills', { key, body: { name: `Skill ${writer}` } });
  if (writer % 4 === 0) await app.delete(`/api/v1/posts/${id}`, { key });
}

async function connect({ databaseUrl }: TestApp) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return client;
}

/** SQL: inserts a copy of the post with the slug `first`. */
const copyOfFirst = `
  insert into posts (${columnsOf('posts').join(', ')})
  select ${columnsOf('posts')
    .map((name) => `r.${name}`)
    .join(', ')}
  from posts p, jsonb_populate_record(p, jsonb_build_object('id', $1::text, 'slug', $1::text)) r where p.slug = 'first'`;

/** Changes rows with direct SQL, once in a transaction that is rolled back. */
async function directSql(app: TestApp, siteId: string) {
  const client = await connect(app);
  await client.query('begin');
  await client.query('delete from posts');
  await client.query('rollback');
  await client.query(`update posts set visibility = 'public' where site_id = $1 and slug like 'post-1%'`, [
    siteId,
  ]);
  await client.query(`delete from skills where name like 'Skill 1%'`);
  await client.end();
}

async function stateOf(app: TestApp) {
  const { rows } = await sql<{
    collection: string;
    version: number;
    public_count: number;
    real_count: number;
  }>`
    select collection, version, public_count, case collection
      when 'posts' then (select count(*) from posts where visibility = 'public' and not is_draft)
      when 'skills' then (select count(*) from skills where visibility = 'public')
      else 1 end as real_count
    from collection_state order by collection`.execute(app.deps.database.em.getKysely());
  return rows;
}

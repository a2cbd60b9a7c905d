import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';

test('public_count is right after 64 parallel writers, rollbacks and direct SQL', async () => {
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

test('every write to a collection raises its version, and no other does', async () => {
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

test('truncating a collection empties what is kept of it', async () => {
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

/** One of many at once: creates, hides, publishes again and deletes, each writer another mix. */
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

/** Writes around the service, one of them rolled back. */
async function directSql(app: TestApp, siteId: string) {
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
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

import { expect, test } from 'vitest';
import type { Resource } from '../../shared/contract/resource.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { migrate } from '../../shared/db/migrate.ts';
import { migrations } from '../../shared/db/migrations/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { connectAssistant } from '../support/assistant.ts';
import type { Values } from '../support/content.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

/** One text in NFC, as keyboards produce it, and in NFD, as file names on macOS have it. */
const [nfc, nfd] = ['Café Zürich', 'Cafe\u0301 Zu\u0308rich'];

const scopes = ['read', 'write', 'read:content', 'mcp:read'] as const;

test('short texts except titles, and lists, are stored in NFC, and filters match either form', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: [...scopes] });
  const missed: unknown[] = [];
  for (const { collection, fields } of Object.values<Resource>(resources)) {
    if (collection === 'pages') continue;
    const compared = Object.entries(fields).filter(
      ([name, { kind, choices, ownersOnly }]) =>
        name !== 'title' && (kind === 'list' || (kind === 'text' && !choices)) && !ownersOnly,
    );
    const values = Object.fromEntries(
      compared.map(([name, { kind }]) => [name, kind === 'list' ? [nfd] : nfd]),
    );
    const sent = 'title' in fields ? { title: nfd, ...values } : values;
    const { status, body } = await app.post(`/api/v1/${collection}`, { key, body: sent });
    expect([collection, status]).toEqual([collection, 201]);
    const created = await stored(app, collection, body as Values);
    if ('title' in fields) expect([collection, created.title]).toEqual([collection, nfd]);
    for (const [name, { kind }] of compared) {
      expect([collection, name, created[name]]).toEqual([collection, name, kind === 'list' ? [nfc] : nfc]);
      for (const form of [nfc, nfd])
        for (const version of ['v1', 'v2']) {
          const answer = await app.get(`/api/${version}/${collection}?${name}=${encodeURIComponent(form)}`, {
            key,
          });
          if (!JSON.stringify(answer.body).includes(String(created.id)))
            missed.push([version, collection, name, form, answer.status]);
        }
    }
  }
  expect(missed.filter((one) => (one as unknown[])[4] !== 404)).toEqual([]);
});

/** Returns the table row of a record, or an empty object. */
async function stored({ deps }: TestApp, table: string, { id }: Values): Promise<Values> {
  const [row] = await deps.database.em.execute<Values[]>(`select * from ${table} where id = ?`, [id]);
  return row ?? {};
}

test('tags in either form are equal on every surface, while titles and bodies stay unchanged', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: [...scopes] });
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const sent = { title: nfd, excerpt: nfd, content: nfd, tags: [nfd, nfc, 'a', 'a'] };
  const { body } = await app.post('/api/v1/posts', { key, body: sent });
  expect(await stored(app, 'posts', body as Values)).toMatchObject({
    title: nfd,
    excerpt: nfd,
    content: nfd,
    tags: [nfc, 'a', 'a'],
  });
  await using assistant = await connectAssistant(app, key);
  const visit = createVisitor(app.baseUrl);
  for (const tag of [nfc, nfd]) {
    const path = encodeURIComponent(tag);
    for (const query of [`tag=${path}`, `tags=${path}`, `tags=x,${path}`, `q=${path}`])
      expect([query, (await app.get(`/api/v1/posts?${query}`, { key })).body]).toMatchObject([
        query,
        { total: 1 },
      ]);
    expect(await assistant.callTool('list_posts', { tag })).toMatchObject({ total: 1 });
    expect(await studio.posts.list.query({ tags: [tag] })).toMatchObject({ total: 1 });
    expect(await studio.posts.list.query({ q: tag })).toMatchObject({ total: 1 });
    const page = await visit(`/tags/${path}`);
    expect([page.status, page.text.includes(`<h1>${nfc}</h1>`)]).toEqual([200, true]);
    expect((await visit(`/tags/${path}/feed.xml`)).text).toContain(encodeURIComponent(nfc));
  }
  expect((await app.get(`/api/v1/posts?tags=${encodeURIComponent('Cafe')}`, { key })).body).toMatchObject({
    total: 0,
  });
});

test('search finds people by names in either form', async () => {
  await using app = await startApp();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  await studio.subscribers.create.mutate({ email: 'grace@example.com', name: nfd, source: nfd });
  for (const q of [nfc, nfd]) {
    expect(await studio.subscribers.list.query({ q })).toMatchObject({ items: [{ name: nfc, source: nfc }] });
  }
});

test('the maximum length applies to the stored form', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: [...scopes] });
  const post = (tag: string) => app.post('/api/v1/posts', { key, body: { title: 'Long', tags: [tag] } });
  // This letter becomes two characters in NFC.
  const growing = '\u0958';
  const { status, body } = await post(growing.repeat(100));
  expect(status).toBe(201);
  expect(await stored(app, 'posts', body as Values)).toMatchObject({
    tags: [growing.normalize().repeat(100)],
  });
  expect(await post(growing.repeat(101))).toMatchObject({
    status: 400,
    body: { error: { code: 'validation_failed' } },
  });
});

test('the migration merges values that differ only in form, in order, without events and with unchanged dates', async () => {
  await using database = await createEmptyDatabase();
  const names = migrations.map(({ name }) => name);
  await migrate(database.url, names.slice(0, names.indexOf('0039-normalized-names')));
  const post = (id: string, tags: string) =>
    `('harbour', '${id}', '${nfd}', '${id}', '${nfd}', '', 'public', false, '2026-01-01', false, ${tags}, 'free', '', '', '', '2026-01-01', '2026-01-02')`;
  await database.query(`
    insert into posts (site_id, id, title, slug, content, excerpt, visibility, is_draft, published_at, featured, tags, access_tier, cover, meta_title, meta_description, created, updated)
    values ${post('p1', `array['b', '${nfd}', 'a', '${nfc}', 'b']`)}, ${post('p2', `array['${nfc}', 'b']`)}, ${post('p3', "'{}'")};
    insert into record_revisions (site_id, collection, record_id, revision, created, actor, changed, previous)
    values ('harbour', 'posts', 'p1', 1, now(), '{}', '{tags}', jsonb_build_object('tags', array['${nfd}', '${nfc}'], 'content', '${nfd}'));
    insert into trash (site_id, collection, id, title, deleted, actor, record)
    values ('harbour', 'posts', 'p4', '${nfd}', now(), '{}', jsonb_build_object('tags', array['${nfd}'], 'title', '${nfd}', 'meta_title', '${nfd}', 'featured', false));
    insert into subscribers (site_id, id, email, name, source, status, soft_bounces, created)
    values ('harbour', 's1', 'a@example.com', '${nfd}', '', 'active', 0, now())`);
  const rows = () =>
    database.query(
      'select id, xmin::text as row, tags, title, content, updated from posts order by id',
    ) as Promise<Values[]>;
  const version = () => database.query("select version from collection_changes where collection = 'posts'");
  const [before, was] = [await rows(), await version()];
  await migrate(database.url);
  expect(await rows()).toEqual([
    { ...before[0], row: expect.any(String), tags: ['b', nfc, 'a', 'b'] },
    before[1],
    before[2],
  ]);
  expect(await version()).not.toEqual(was);
  expect(await database.query('select * from events')).toEqual([]);
  expect(await database.query('select previous from record_revisions')).toEqual([
    { previous: { tags: [nfc], content: nfd } },
  ]);
  expect(await database.query('select title, record from trash')).toEqual([
    { title: nfd, record: { tags: [nfc], title: nfd, meta_title: nfc, featured: false } },
  ]);
  expect(await database.query('select name from subscribers')).toEqual([{ name: nfc }]);
});

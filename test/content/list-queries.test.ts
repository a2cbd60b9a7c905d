import { afterAll, expect, test } from 'vitest';
import { sorts } from '../../shared/contract/pagination.ts';
import { accessTiers } from '../../shared/contract/resources/access-tier.ts';
import { startApp } from '../support/app.ts';
import { connectAssistant } from '../support/assistant.ts';
import { recordsIn, recordsOf, type Values } from '../support/content.ts';
import { failure } from '../support/http.ts';
import { ownerClient, refusal, visitorClient } from '../support/rpc.ts';

// Combinations of filters, search and field selection in lists (docs/reference/filters.md).

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const scopes = ['read', 'write', 'read:content'] as const;

interface Page {
  data: Values[];
  total: number;
  next_cursor?: string;
}

const reader = await app.seed.key({ scopes: [...scopes, 'read:members'] });
const get = (path: string) => app.get(`/api/${path}`, { key: reader });

test.for([
  ['v1/posts', 'featured=yes', 'featured: must be true or false'],
  ['v1/posts', 'featured=', 'featured: must be true or false'],
  ['v1/posts', 'featured=true&featured=true', 'featured: must not be given more than once'],
  ['v1/posts', 'visibility=open', 'visibility: "open" is not one of public, unlisted, private'],
  ['v1/posts', 'published_at_from=yesterday', 'published_at_from: must be an RFC 3339 date-time'],
  ['v1/posts', 'created_before=', 'created_before: must be an RFC 3339 date-time'],
  ['v1/posts', 'tags=', 'tags.0: must not be empty'],
  ['v1/projects', 'status=active,', 'status.1: must not be empty'],
  ['v1/projects', `status=${'a'.repeat(501)}`, 'status: must have at most 500 characters'],
  ['v1/projects', 'tech_stack=a%00', expect.stringMatching(/^tech_stack.0: must not contain a NUL/)],
  ['v1/projects', `tags=${'a,'.repeat(100)}a`, 'tags: must have at most 100 items'],
  ['v2/courses', 'price_min=cheap', 'price_min: must be a number'],
  ['v2/courses', 'price_max=1e3', 'price_max: must be a number'],
  ['v2/courses', 'sort_order_min=', 'sort_order_min: must be a number'],
  ['v1/talks', 'date_from=2026-13', expect.stringMatching(/^date_from: must be a valid date: YYYY, YYYY-MM/)],
  ['v1/skills', `q=${'a'.repeat(201)}`, 'q: must have at most 200 characters'],
  ['v2/posts', 'q=', 'q: must not be empty'],
  ['v1/posts', 'tag=', 'tag: must not be empty'],
  [
    'v1/skills',
    'fields=name,level',
    expect.stringMatching(/^fields: "level" is not one of id, name, category/),
  ],
  ['v2/members', `page=${2 ** 53}`, `page: must be at most ${2 ** 53 - 1}`],
  ['v2/members', 'status=gone', 'status: "gone" is not one of active, blocked'],
] as const)(
  '%s?%s is refused with invalid_request, and the message names the parameter and its values',
  async ([list, query, message]) => {
    expect(await get(`${list}?${query}`)).toEqual(failure(400, 'invalid_request', message));
  },
);

test('over RPC a filter has a typed value, and an invalid one is refused with the same message', async () => {
  const { v1 } = visitorClient(app.baseUrl, { authorization: `Bearer ${reader}` });
  const of = (input: object) => refusal(v1.projects.list.query(input));
  const code = 'invalid_request';
  expect(await of({ visibility: ['open'] })).toEqual({
    code,
    message: 'visibility: "open" is not one of public, unlisted, private',
  });
  expect(await of({ status: [''] })).toEqual({ code, message: 'status.0: must not be empty' });
  expect(await of({ created_from: 5 })).toEqual({ code, message: expect.stringMatching(/^created_from: /) });
  const page = await v1.projects.list.query({
    status: ['a, b'],
    created_from: new Date(),
    visibility: ['public'],
  });
  expect(page).toMatchObject({ total: 0 });
});

test('a repeated filter is a list whose values are not split at commas', async () => {
  const key = await app.seed.key({ siteId: await app.seed.site() });
  const talks = recordsOf(app, 'talks', key);
  const lisbon = await talks.add({ title: 'A', location: 'Lisbon, Portugal' });
  const porto = await talks.add({ title: 'B', location: 'Porto' });
  const at = async (query: string) => (await talks.list(query)).map(({ id }) => id).toSorted();
  expect(await at('location=Porto,Lisbon, Portugal')).toEqual([porto]);
  expect(await at('location=Porto&location=Lisbon, Portugal')).toEqual([lisbon, porto].toSorted());
});

test('filters can be combined with each other, with q, every order and cursors', async () => {
  const key = await app.seed.key({ siteId: await app.seed.site() });
  const projects = recordsOf(app, 'projects', key);
  const statuses = ['active', 'planned', 'archived'];
  for (let n = 0; n < 24; n++) {
    const title = `Walrus ${String.fromCharCode(97 + (n % 5))}`;
    await projects.add({ title, status: statuses[n % 3], tags: n % 2 ? ['odd'] : ['even', 'all'] });
    app.clock.advance({ ms: n % 2 });
  }
  const whole = await projects.list('limit=100');
  const fitting = whole.filter(({ status, tags }) => status !== 'archived' && [tags].flat().includes('even'));
  for (const filter of ['status=active,planned&tags=even,none', 'q=walrus&status=active,planned&tags=even']) {
    for (const sort of sorts) {
      const query = `${filter}&sort=${sort}`;
      const sorted = (await projects.list(`sort=${sort}&limit=100`)).filter(({ id }) =>
        fitting.some((one) => one.id === id),
      );
      const walked: Values[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const path = `/api/v1/projects?${query}&limit=3&cursor=${cursor}`;
        const { body } = (await app.get(path, { key })) as { body: Page };
        expect(body.total).toBe(fitting.length);
        walked.push(...body.data);
        cursor = body.next_cursor;
      }
      expect(walked).toEqual(sorted);
    }
  }
});

test('a cursor from another filter restarts at the first page', async () => {
  const key = await app.seed.key({ siteId: await app.seed.site() });
  const posts = recordsOf(app, 'posts', key);
  for (const tag of ['a', 'b', 'a', 'b', 'a']) await posts.add({ title: `Word ${tag}`, tags: [tag] });
  const page = async (query: string) =>
    (await app.get(`/api/v1/posts?limit=1&sort=title&${query}`, { key })).body as Page;
  const filters = [
    '',
    'tag=a',
    'tags=a',
    'tags=a,b',
    'q=word',
    'featured=false',
    'created_from=2020-01-01T00:00:00Z',
  ];
  for (const filter of filters) {
    const { next_cursor } = await page(filter);
    for (const other of filters) {
      const answer = await page(`${other}&cursor=${next_cursor}`);
      if (other === filter) expect(answer.data).not.toEqual((await page(other)).data);
      else expect([filter, other, answer]).toEqual([filter, other, await page(other)]);
    }
  }
  const { next_cursor } = await page('tags=a,b');
  expect(await page(`tags=b,a,a&cursor=${next_cursor}`)).toEqual(
    await page(`tags=a,b&cursor=${next_cursor}`),
  );
});

test('members can be filtered by their short fields, and lists return only the requested fields', async () => {
  const siteId = await app.seed.site();
  const key = await app.seed.key({ siteId, scopes: ['read:members'] });
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
  await app.deps.database.em.execute(
    `insert into members (site_id, id, email, name, status, access_tiers, last_seen_at, created, updated)
     select site, 'member00000000' || n, n || '@example.com', 'Name ' || n, case n when 1 then 'blocked' else 'active' end,
       case n when 2 then '{paid}' when 3 then '{members}' else '{}' end::text[], at, at, at
     from generate_series(1, 3) n, unnest(array[?, ?]) site, lateral (select timestamptz '2026-01-01' + n * interval '1 day' as at) moment`,
    [siteId, await app.seed.site()],
  );
  const found = async (query: string) => {
    const answer = await app.get(`/api/v2/members?fields=name&${query}`, { key });
    return recordsIn(answer).map(({ name }) => name);
  };
  expect(await found('')).toEqual(['Name 3', 'Name 2', 'Name 1']);
  expect(await found('email=1@example.com,3@example.com')).toEqual(['Name 3', 'Name 1']);
  expect(await found('name=Name 2')).toEqual(['Name 2']);
  expect(await found('status=blocked')).toEqual(['Name 1']);
  expect(await found('access_tiers=paid,members&status=active')).toEqual(['Name 3', 'Name 2']);
  for (const tier of accessTiers) {
    await studio.members.update.mutate({ id: 'member000000001', access_tiers: [tier] });
    expect(await found(`access_tiers=${tier}&status=blocked`)).toEqual(['Name 1']);
    expect(
      await found(`access_tiers=${accessTiers.filter((other) => other !== tier)}&status=blocked`),
    ).toEqual([]);
  }
  expect(await found('access_tiers=active,blocked')).toEqual([]);
  expect(await found('last_seen_at_from=2026-01-03T00:00:00Z&created_before=2026-01-04T00:00:00Z')).toEqual([
    'Name 2',
  ]);
  const page = { items: [{ id: 'member000000001' }], page: 1, per_page: 50, total: 1 };
  expect(await studio.members.list.query({ status: ['blocked'], fields: ['id'] })).toEqual(page);
});

test('the owner finds drafts by state, filter and search, in any order', async () => {
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(await app.seed.site()));
  for (const [title, is_draft, status] of [
    ['Walrus b', true, 'active'],
    ['walrus a', true, 'planned'],
    ['Walrus c', false, 'active'],
    ['Other', true, 'active'],
  ] as const)
    await studio.projects.create.mutate({ title, is_draft, status });
  const titles = async (input: Parameters<typeof studio.projects.list.query>[0]) =>
    (await studio.projects.list.query({ sort: 'title', ...input })).items.map(({ title }) => title);
  expect(await titles({ is_draft: true, q: 'walrus' })).toEqual(['walrus a', 'Walrus b']);
  expect(await titles({ status: 'draft', q: 'walrus', sort: '-title' })).toEqual(['Walrus b', 'walrus a']);
  expect(await titles({ status: ['active'] })).toEqual(['Other', 'Walrus b', 'Walrus c']);
  expect(await titles({ status: ['active'], is_draft: false })).toEqual(['Walrus c']);
  expect(await titles({ page: 2, per_page: 3 })).toEqual(['Walrus c']);
  expect(await studio.projects.list.query({ q: 'walrus', per_page: 1, page: 9 })).toEqual({
    items: [],
    page: 9,
    per_page: 1,
    total: 3,
  });
});

test('the list tools of an assistant take the same parameters as the API', async () => {
  const siteId = await app.seed.site();
  const key = await app.seed.key({ siteId, scopes: ['read', 'write', 'mcp:read'] });
  for (const title of ['A', 'B'])
    await app.post('/api/v1/talks', { key, body: { title, location: `${title}, somewhere`, date: '2026' } });
  await using assistant = await connectAssistant(app, key);
  const requested = { location: ['A, somewhere'], date_from: '2025', q: 'somewhere', fields: ['title'] };
  expect(await assistant.callTool('list_talks', requested)).toEqual({ data: [{ title: 'A' }] });
  expect(await assistant.callTool('list_talks', { date_from: 'soon' })).toMatchObject({
    error: { code: 'invalid_request', message: expect.stringMatching(/^date_from: /) },
  });
  const { tools } = await assistant.client.listTools();
  for (const { name, inputSchema } of tools.filter(
    ({ name }) => name.startsWith('list_') && name !== 'list_events',
  ))
    expect([name, Object.keys(inputSchema.properties ?? {})]).toEqual([
      name,
      expect.arrayContaining(['created_from', 'created_before', 'updated_from', 'updated_before', 'fields']),
    ]);
});

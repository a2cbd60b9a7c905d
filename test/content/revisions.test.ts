import { expect, test } from 'vitest';
import { found } from '../../server/api/api-error.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { recordsOf, restResources } from '../support/content.ts';
import { endpoints } from '../support/endpoints.ts';
import { type Answer, failure } from '../support/http.ts';
import { formOf, smallestImage } from '../support/images.ts';
import { startMailServer } from '../support/mail-server.ts';
import { signInByMail } from '../support/members.ts';
import { ownerClient } from '../support/rpc.ts';

// Each record counts its writes. Its ETag begins with this revision, and If-Match compares it.

const tagOf = (answer: Answer & { headers: Headers }) => answer.headers.get('etag') ?? '';
const revisionOf = (answer: Answer & { headers: Headers }) => /^"(\d+)-[\w-]{22}"$/.exec(tagOf(answer))?.[1];
const changedSince = failure(412, 'precondition_failed');
const updated = { status: 200, body: { status: 'updated' } };
const deleted = { status: 200, body: { status: 'deleted' } };

/** Number of concurrent edits of one record. */
const rounds = process.env.FAULTS === 'long' ? 1_000 : 200;

test.each(restResources)(
  '$collection: every response with one record has its revision in the ETag, and writes increase it',
  async ({ collection, min: minimal }) => {
    await using app = await startApp();
    const key = await app.seed.key({ scopes: ['read', 'write', 'read:content'] });
    const at = `/api/v1/${collection}`;
    const created = await app.post(at, { key, body: minimal });
    const { id } = created.body as { id: string };
    expect([created.status, revisionOf(created)]).toEqual([201, '1']);
    const [field = ''] = Object.keys(minimal);
    const change = (value: unknown) => app.patch(`${at}/${id}`, { key, body: { [field]: value } });
    expect(revisionOf(await change('Other'))).toBe('2');
    expect(revisionOf(await app.patch(`${at}/${id}`, { key, body: {} }))).toBe('2');
    expect(revisionOf(await change('Third'))).toBe('3');
    const readers = [`/api/v1/${collection}/{slug}`, `/api/v2/${collection}/{id}`].filter((path) =>
      endpoints.some(({ title }) => title === `GET ${path}`),
    );
    const [record] = await recordsOf(app, collection, key).list();
    for (const path of readers) {
      const address = path.replace('{slug}', String(record?.slug)).replace('{id}', id);
      const read = await app.get(address, { key });
      expect([path, read.status, revisionOf(read)]).toEqual([path, 200, '3']);
      const again = await app.get(address, { key, headers: { 'if-none-match': tagOf(read) } });
      expect([again, tagOf(again)]).toEqual([{ status: 304, body: undefined }, tagOf(read)]);
      expect(read.body).not.toHaveProperty('revision');
    }
    expect(tagOf(await app.delete(`${at}/${id}`, { key }))).toBe('');
  },
);

test.each(restResources)(
  '$collection: an update or deletion with If-Match applies to the given revision, or not at all',
  async ({ collection, min: minimal }) => {
    await using app = await startApp();
    const key = await app.seed.key();
    const at = `/api/v1/${collection}`;
    const created = await app.post(at, { key, body: minimal });
    const path = `${at}/${(created.body as { id: string }).id}`;
    const [field = ''] = Object.keys(minimal);
    const body = { [field]: 'Other' };
    const under = (tag: string) => ({ key, headers: { 'if-match': tag } });
    const changed = await app.patch(path, { ...under(tagOf(created)), body });
    expect(changed).toEqual(updated);
    const before = await everything(app);
    for (const tag of [tagOf(created), `W/${tagOf(changed)}`, '"nonsense"', 'nonsense', '', '"3-x"']) {
      expect([tag, await app.patch(path, { ...under(tag), body })]).toEqual([tag, changedSince]);
      expect([tag, await app.patch(path, { ...under(tag), body: {} })]).toEqual([tag, changedSince]);
      expect([tag, await app.delete(path, under(tag))]).toEqual([tag, changedSince]);
    }
    expect(await everything(app)).toEqual(before);
    expect(await app.patch(path, { ...under(`"9-x", ${tagOf(changed)}`), body })).toEqual(updated);
    expect(await app.patch(path, { ...under('*'), body })).toEqual(updated);
    expect(await app.delete(path, under('"4-whatever"'))).toEqual(deleted);
  },
);

test('an unknown id returns not_found, with any If-Match', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  for (const tag of ['*', '"1-x"', 'nonsense']) {
    const options = { key, headers: { 'if-match': tag } };
    expect(await app.patch(`/api/v1/posts/${'a'.repeat(15)}`, { ...options, body: {} })).toEqual(
      failure(404, 'not_found'),
    );
    expect(await app.delete(`/api/v1/posts/${'a'.repeat(15)}`, options)).toEqual(failure(404, 'not_found'));
  }
});

test(`of two editors who start from the same revision exactly one succeeds, in ${rounds} rounds`, async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const created = await app.post('/api/v1/posts', { key, body: { title: 'Contested', is_draft: true } });
  const path = `/api/v1/posts/${(created.body as { id: string }).id}`;
  let tag = tagOf(created);
  for (let round = 0; round < rounds; round++) {
    const edit = (editor: string) =>
      app.patch(path, { key, headers: { 'if-match': tag }, body: { excerpt: `${editor} ${round}` } });
    const answers = await Promise.all([edit('Ada'), edit('Ben')]);
    const winners = answers.filter(({ status }) => status === 200);
    expect([round, winners.length, answers.filter(({ status }) => status === 412).length]).toEqual([
      round,
      1,
      1,
    ]);
    tag = winners.map(tagOf).join();
  }
  expect(tag.startsWith(`"${rounds + 1}-`)).toBe(true);
});

test('a reader of a gated post can use its ETag in If-Match as well', async () => {
  await using mail = await startMailServer();
  await using app = await startApp({ smtpUrl: mail.url });
  const key = await app.seed.key({ scopes: ['read', 'write', 'read:content'] });
  const body = { title: 'Gated', content: 'For members', access_tier: 'registered' };
  const { id } = (await app.post('/api/v1/posts', { key, body })).body as { id: string };
  const { token } = await signInByMail(app, mail, { email: 'grace@example.com' });
  const anyone = await app.get('/api/v1/posts/gated', { key });
  const member = await app.get('/api/v1/posts/gated', { key, headers: { 'x-member-token': token } });
  const second = await app.get(`/api/v2/posts/${id}`, { key });
  expect([anyone.body, member.body]).toEqual([
    expect.objectContaining({ is_gated: true }),
    expect.objectContaining({ content: 'For members' }),
  ]);
  expect(new Set([anyone, member, second].map(tagOf)).size).toBe(3);
  for (const [position, read] of [anyone, member, second].entries()) {
    const patch = () =>
      app.patch(`/api/v1/posts/${id}`, { key, headers: { 'if-match': tagOf(read) }, body: { excerpt: 'x' } });
    expect([position, await patch()]).toEqual([position, position === 0 ? updated : changedSince]);
  }
});

test('a single RPC call returns the same ETag as REST, and accepts If-Match', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: scopeNames });
  const call = (name: string, input: object, headers = {}) =>
    app.post(`/trpc/${name}`, { key, headers, body: { json: input } });
  const created = await call('v1.posts.create', { title: 'One' });
  const { id } = (created.body as { result: { data: { json: { id: string } } } }).result.data.json;
  expect(revisionOf(created)).toBe('1');
  const input = encodeURIComponent(JSON.stringify({ json: { slug: 'one' } }));
  const overRest = tagOf(await app.get('/api/v1/posts/one', { key }));
  for (const query of [
    `input=${input}`,
    `batch=1&input=${encodeURIComponent(JSON.stringify({ 0: { json: { slug: 'one' } } }))}`,
  ]) {
    expect(tagOf(await app.get(`/trpc/v1.posts.get?${query}`, { key }))).toBe(overRest);
    expect(tagOf(await app.get(`/trpc/v1.posts.get?${query}&connectionParams=null`, { key }))).toBe(overRest);
  }
  const changed = await call('v1.posts.update', { id, title: 'Two' }, { 'if-match': overRest });
  expect([changed.status, revisionOf(changed)]).toEqual([200, '2']);
  const late = await call('v1.posts.delete', { id }, { 'if-match': overRest });
  expect(late).toMatchObject({
    status: 412,
    body: { error: { json: { data: { code: 'precondition_failed', httpStatus: 412 } } } },
  });
  expect(await call('v1.posts.delete', { id }, { 'if-match': tagOf(changed) })).toMatchObject({
    status: 200,
  });
});

test('If-Match on a batch of several writes is refused, and no write is applied', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const created = await app.post('/api/v1/posts', { key, body: { title: 'One' } });
  const { id } = created.body as { id: string };
  const before = await everything(app);
  const body = { 0: { json: { id, title: 'A' } }, 1: { json: { id, title: 'B' } } };
  const headers = { 'if-match': tagOf(created) };
  const path = '/trpc/v1.posts.update,v1.posts.update?batch=1';
  expect(await app.post(path, { key, headers, body })).toMatchObject({
    status: 400,
    body: { error: { json: { data: { code: 'invalid_request' } } } },
  });
  expect(await everything(app)).toEqual(before);
  const processes = await app.post(path, { key, body });
  expect([processes.status, tagOf(processes)]).toEqual([200, '']);
});

test('an owner can use the revision that the studio returns in If-Match', async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  const { studio } = ownerClient(app.baseUrl, token);
  const { id } = await studio.pages.create.mutate({ title: 'Uses' });
  await studio.pages.update.mutate({ id, content: 'New' });
  expect(await studio.pages.get.query({ id })).toMatchObject({ revision: 2 });
  const write = (tag: string) =>
    app.post('/trpc/studio.pages.update', {
      key: token,
      headers: { 'if-match': tag },
      body: { json: { id, content: 'Newer' } },
    });
  expect((await write('"1-"')).status).toBe(412);
  expect((await write('"2-"')).status).toBe(200);
});

test('records with a write timestamp instead of a revision are written under If-Match as read, or not at all', async () => {
  await using mail = await startMailServer();
  await using app = await startApp({ smtpUrl: mail.url });
  const token = await app.seed.ownerToken();
  const { id } = (await signInByMail(app, mail, { email: 'grace@example.com' })).member;
  const { studio, admin } = ownerClient(app.baseUrl, token);
  const key = await admin.apiKeys.create.mutate({ name: 'A key', scopes: ['read'] });
  const webhook = await admin.webhooks.create.mutate({
    url: 'https://a.example/',
    events: ['content.created'],
  });
  const only = <Row>({ data: [row] }: { data: Row[] }) => found(row);
  const named = (name: string): object => ({ name });
  const written = [
    { path: 'studio.profile', read: () => studio.profile.get.query(), to: {}, as: named },
    { path: 'studio.site', read: () => studio.site.get.query(), to: {}, as: named },
    { path: 'studio.members', read: () => studio.members.get.query({ id }), to: { id }, as: named },
    {
      path: 'admin.apiKeys',
      read: () => admin.apiKeys.list.query().then(only),
      to: { id: key.id },
      as: named,
    },
    {
      ...{
        path: 'admin.webhooks',
        read: () => admin.webhooks.list.query().then(only),
        to: { id: webhook.id },
      },
      as: (value: string) => ({ url: `https://${value.toLowerCase()}.example/` }),
    },
  ];
  for (const { path, read, to, as } of written) {
    const before = await read();
    const write = (tag: string, value: string) =>
      app.post(`/trpc/${path}.update`, {
        key: token,
        headers: { 'if-match': tag },
        body: { json: { ...to, ...as(value) } },
      });
    const tag = `"${before.updated.getTime()}-"`;
    // The test clock does not advance, so both writes have the same timestamp. Their tags differ anyway.
    expect([path, (await write(tag, 'First')).status]).toEqual([path, 200]);
    expect([path, (await write(tag, 'Second')).status]).toEqual([path, 412]);
    expect([path, (await write('"1-"', 'Second')).status]).toEqual([path, 412]);
    const now = await read();
    expect(now).toMatchObject(as('First'));
    expect((await write(`"${now.updated.getTime()}-"`, 'Second')).status).toBe(200);
  }
});

test('texts of a file are written under If-Match as read, or not at all', async () => {
  await using app = await startApp();
  const key = await app.seed.ownerToken();
  const { studio } = ownerClient(app.baseUrl, key);
  const { body } = await app.post('/api/admin/media', { key, ...formOf(smallestImage) });
  const { id } = body as { id: string };
  const at = `/trpc/studio.media.get?input=${encodeURIComponent(JSON.stringify({ json: { id } }))}`;
  const read = async () => /^"\d+-/.exec(tagOf(await app.get(at, { key })))?.[0] ?? '';
  const write = (begins: string, alt: string) =>
    app.post('/trpc/studio.media.update', {
      key,
      headers: { 'if-match': `${begins}"` },
      body: { json: { id, alt } },
    });
  const before = await read();
  expect((await write(before, 'A harbour')).status).toBe(200);
  expect((await write(before, 'A boat')).status).toBe(412);
  expect(await studio.media.get.query({ id })).toMatchObject({ alt: 'A harbour' });
  expect((await write(await read(), 'A boat')).status).toBe(200);
});

test('If-Match on a record without a revision is refused', async () => {
  await using app = await startApp();
  const [key, token] = [await app.seed.key(), await app.seed.ownerToken()];
  const headers = { 'if-match': '*' };
  expect(await app.post('/api/v1/posts', { key, headers, body: { title: 'New' } })).toEqual(
    failure(
      400,
      'invalid_request',
      'If-Match: not supported here, because this call changes no record with a revision',
    ),
  );
  expect(
    await app.post('/trpc/studio.purchases.record', { key: token, headers, body: { json: {} } }),
  ).toMatchObject({ status: 400 });
  expect(
    await app.post('/trpc/site.newsletter.subscribe', {
      headers,
      body: { json: { email: 'ada@example.com' } },
    }),
  ).toMatchObject({ status: 400 });
  expect((await app.post('/api/v1/posts', { headers, body: { title: 'New' } })).status).toBe(401);
  expect((await app.get('/api/v1/posts', { key, headers })).status).toBe(200);
});

test('a write that is repeated with its idempotency key returns its first ETag, after any later writes', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const headers = { 'idempotency-key': 'one' };
  const create = () => app.post('/api/v1/posts', { key, headers, body: { title: 'Once' } });
  const first = await create();
  const path = `/api/v1/posts/${(first.body as { id: string }).id}`;
  const change = () =>
    app.patch(path, {
      key,
      headers: { 'idempotency-key': 'two', 'if-match': tagOf(first) },
      body: { excerpt: 'Changed' },
    });
  const changed = await change();
  expect(revisionOf(changed)).toBe('2');
  for (const [again, before] of [
    [await create(), first],
    [await change(), changed],
  ] as const) {
    expect(again).toEqual(before);
    expect([again.headers.get('idempotency-replayed'), tagOf(again)]).toEqual(['true', tagOf(before)]);
  }
});

test('scripts of other origins may send If-Match and read the ETag', async () => {
  await using app = await startApp();
  const headers = {
    origin: 'https://elsewhere.example.com',
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'authorization,if-match',
  };
  const preflight = await app.call('OPTIONS', `/api/v1/posts/${'a'.repeat(15)}`, { headers });
  expect(preflight.headers.get('access-control-allow-headers')).toContain('if-match');
  const answer = await app.get('/api/v1/posts', { headers: { origin: headers.origin } });
  expect(answer.headers.get('access-control-expose-headers')?.split(', ')).toContain('ETag');
});

/** Returns all rows that a write could have changed: records, history, trash, events and counters. */
async function everything(app: TestApp) {
  const tables = [
    ...restResources.map(({ collection }) => collection),
    'record_revisions',
    'trash',
    'events',
    'collection_state',
  ];
  const rows = tables.map((table) =>
    app.deps.database.em.fork().execute(`select * from ${table} order by 1, 2, 3`),
  );
  return Promise.all(rows);
}

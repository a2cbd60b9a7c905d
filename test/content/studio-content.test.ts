import { expect, test } from 'vitest';
import { unsetValues } from '../../shared/contract/fields.ts';
import { allResources, type ContentCollection } from '../../shared/contract/resources/index.ts';
import { sharing } from '../../shared/contract/sharing.ts';
import { startApp } from '../support/app.ts';
import { calls } from '../support/calls.ts';
import { restResources, type Values } from '../support/content.ts';
import { anyId } from '../support/matchers.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

// Rules that hold for every procedure of `studio`, which owners call over RPC.

const studioCalls = calls.filter(({ name }) => name.startsWith('studio.'));
const notFound = { code: 'not_found', message: 'not found' };

const codes = (body: unknown) =>
  (body as { error?: { json: { data: { code: string } } } }).error?.json.data.code ?? 'answered';

async function startSite() {
  const app = await startApp();
  const token = await app.seed.ownerToken();
  return { ...app, token, studio: ownerClient(app.baseUrl, token).studio };
}

test('every procedure of the studio refuses callers without a session of an owner', async () => {
  await using app = await startSite();
  const ended = await app.seed.ownerToken();
  await app.delete('/api/admin/session', { key: ended });
  const key = await app.seed.key();
  const member = `svc_member_${'a'.repeat(43)}`;
  for (const call of studioCalls) {
    for (const credential of ['', key, member, ended, `svc_owner_${'a'.repeat(43)}`]) {
      const { status, body } = await call.send(app, call.example, credential);
      expect([call.title, status, codes(body)]).toEqual([call.title, 401, 'unauthorized']);
    }
  }
});

test('a session ends after seven days for every procedure of the studio', async () => {
  await using app = await startSite();
  app.clock.advance({ days: 7 });
  for (const call of studioCalls) expect((await call.send(app, call.example, app.token)).status).toBe(401);
});

test('every write of the studio refuses unknown fields', async () => {
  await using app = await startSite();
  for (const call of studioCalls.filter(({ writes }) => writes)) {
    const { body } = await call.send(app, { ...call.example, unlisted: 1 }, app.token);
    expect([call.title, codes(body), JSON.stringify(body)]).toEqual([
      call.title,
      'validation_failed',
      expect.stringContaining('unlisted'),
    ]);
  }
});

test('every procedure of the studio that takes an id returns not_found for unknown or malformed ids', async () => {
  await using app = await startSite();
  const taking = studioCalls.filter(({ example }) => 'id' in example);
  expect(taking.length).toBeGreaterThan(25);
  for (const call of taking) {
    for (const id of ['a'.repeat(15), 'x', '', 'A'.repeat(15)]) {
      const { status, body } = await call.send(app, { ...call.example, id }, app.token);
      expect([call.title, id, status, codes(body)]).toEqual([call.title, id, 404, 'not_found']);
    }
  }
});

/** Returns the cover and meta values of a record for which they were not set. */
const unsetSharing = (collection: string) => ({
  ...('cover' in allResources[collection as ContentCollection].fields && unsetValues(sharing)),
});

test.each(restResources)(
  '$collection: the owner reads all fields that they wrote, also of drafts',
  async ({ collection, full, fields }) => {
    await using app = await startSite();
    const own = collection as 'posts';
    const draft = 'is_draft' in fields ? { is_draft: true } : {};
    const written: Values = { ...full, ...draft, visibility: 'private' };
    // The type of one resource is used for all, because they have the same procedures.
    const values = written as { title: string };
    const { id, created } = await app.studio[own].create.mutate(values);
    const timestamps = 'published_at' in fields ? { published_at: expect.any(Date) } : {};
    const scheduled = 'is_draft' in fields && { publish_at: null };
    const record = {
      id,
      ...values,
      ...unsetSharing(collection),
      ...timestamps,
      ...scheduled,
      ...(collection === 'courses' && { lessons_published: false }),
      created,
      updated: created,
      revision: 1,
      created_by: anyId,
    };
    expect(await app.studio[own].get.query({ id })).toEqual(record);
    expect(await app.studio[own].list.query()).toEqual({ items: [record], page: 1, per_page: 50, total: 1 });
    expect(await app.studio[own].list.query({ status: 'draft' })).toMatchObject({
      total: 'is_draft' in fields ? 1 : 0,
    });
    expect(await app.studio[own].list.query({ status: 'published' })).toMatchObject({
      total: 'is_draft' in fields ? 0 : 1,
    });
    app.clock.advance({ minutes: 1 });
    const back = {
      ...draft,
      visibility: 'public' as const,
      ...('is_draft' in fields && { is_draft: false }),
    };
    expect(await app.studio[own].update.mutate({ id, ...back })).toEqual({ status: 'updated' });
    expect(await app.studio[own].get.query({ id })).toEqual({
      ...record,
      ...back,
      updated: app.clock.now(),
      revision: 2,
    });
    expect(await app.studio[own].delete.mutate({ id })).toEqual({ status: 'deleted' });
    expect(await refusal(app.studio[own].get.query({ id }))).toEqual(notFound);
  },
);

test('only their owner can read and write pages, whose slugs are unique among pages', async () => {
  await using app = await startSite();
  const at = app.clock.now();
  const first = await app.studio.pages.create.mutate({ title: 'About me', content: 'Hi' });
  const second = await app.studio.pages.create.mutate({ title: 'About me', is_draft: true });
  expect(first).toEqual({ id: anyId, created: at });
  const about = { title: 'About me', slug: 'about-me', content: 'Hi', visibility: 'public', is_draft: false };
  expect(await app.studio.pages.get.query({ id: first.id })).toEqual({
    id: first.id,
    ...about,
    ...unsetSharing('pages'),
    created: at,
    updated: at,
    publish_at: null,
    revision: 1,
    created_by: anyId,
  });
  expect(await app.studio.pages.get.query({ id: second.id })).toMatchObject({
    slug: 'about-me-2',
    is_draft: true,
  });
  expect(await refusal(app.studio.pages.update.mutate({ id: second.id, slug: 'about-me' }))).toEqual({
    code: 'validation_failed',
    message: 'slug: already in use',
  });
  const key = await app.seed.key({ scopes: ['read', 'write', 'read:content'] });
  for (const path of ['/api/v1/pages', '/api/v2/pages', `/api/v2/pages/${first.id}`])
    expect((await app.get(path, { key })).status).toBe(404);
});

test('a record that is written in the studio is readable over v1, and the reverse', async () => {
  await using app = await startSite();
  const key = await app.seed.key();
  const { id } = await app.studio.posts.create.mutate({ title: 'Studio' });
  expect(await app.get('/api/v1/posts/studio', { key })).toMatchObject({ status: 200, body: { id } });
  await app.patch(`/api/v1/posts/${id}`, { key, body: { is_draft: true } });
  expect((await app.get('/api/v1/posts/studio', { key })).status).toBe(404);
  expect(await app.studio.posts.list.query({ status: 'draft' })).toMatchObject({ items: [{ id }], total: 1 });
});

test('lists of the owner are paginated, newest first; a page, per_page or status out of range is invalid_request', async () => {
  await using app = await startSite();
  for (const title of ['One', 'Two', 'Three']) {
    await app.studio.talks.create.mutate({ title, is_draft: title === 'Two' });
    app.clock.advance({ ms: 1 });
  }
  const { talks } = app.studio;
  expect(await talks.list.query({ per_page: 2 })).toMatchObject({
    total: 3,
    items: [{ title: 'Three' }, { title: 'Two' }],
  });
  expect(await talks.list.query({ per_page: 2, page: 2 })).toMatchObject({ items: [{ title: 'One' }] });
  expect(await talks.list.query({ status: 'draft' })).toMatchObject({ total: 1, items: [{ title: 'Two' }] });
  expect(await talks.list.query({ page: Number.MAX_SAFE_INTEGER })).toMatchObject({ items: [], total: 3 });
  for (const wrong of [{ page: 0 }, { per_page: 201 }, { page: 1.5 }, { status: 'all' as 'draft' }])
    expect(await refusal(talks.list.query(wrong))).toMatchObject({ code: 'invalid_request' });
});

test('members: only name, tiers and status can be changed, within their rules', async () => {
  await using app = await startSite();
  const id = 'member000000001';
  const memberSince = '2026-01-01 00:00:00Z';
  await app.deps.database.em.execute(
    `insert into members (site_id, id, email, name, status, access_tiers, created, updated)
     values (?, ?, 'grace@example.com', 'Grace', 'active', '{}', ?, ?)`,
    [await app.seed.ownSite(), id, memberSince, memberSince],
  );
  const { members } = app.studio;
  const before = await members.get.query({ id });
  expect(await members.update.mutate({ id })).toEqual({ status: 'updated' });
  expect(await members.update.mutate({ id, name: undefined, status: undefined })).toEqual({
    status: 'updated',
  });
  expect(await members.get.query({ id })).toEqual(before);
  await members.update.mutate({ id, name: null, access_tiers: ['paid', 'members'], status: 'blocked' });
  const changed = {
    name: '',
    access_tiers: ['paid', 'members'],
    status: 'blocked',
    updated: app.clock.now(),
  };
  expect(await members.get.query({ id })).toEqual({ ...before, ...changed });
  const wrong: object[] = [
    { status: 'gone' },
    { access_tiers: ['gold'] },
    { access_tiers: null },
    { name: 'x'.repeat(201) },
    { email: 'eve@example.com' },
  ];
  for (const input of wrong)
    expect(await refusal(members.update.mutate({ id, ...input }))).toMatchObject({
      code: 'validation_failed',
    });
  expect(await members.get.query({ id })).toEqual({ ...before, ...changed });
});

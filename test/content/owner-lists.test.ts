import { expect, test } from 'vitest';
import { emptyTrash } from '../../server/content/trash/store.ts';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';

test("an owner's search matches an incomplete last word, a reader's search only whole words", async () => {
  await using app = await startApp();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  for (const title of ['Boats in winter', 'A type-safe harbour', 'Letters of a harbour master']) {
    await studio.posts.create.mutate({ title });
  }
  const found = async (q: string) => {
    const { items } = await studio.posts.list.query({ q, sort: 'title' });
    return items.map(({ title }) => title);
  };

  expect(await found('bo')).toEqual(['Boats in winter']);
  expect(await found('harb')).toEqual(['A type-safe harbour', 'Letters of a harbour master']);
  expect(await found('harbour ma')).toEqual(['Letters of a harbour master']);
  expect(await found('ma harbour')).toEqual([]);
  expect(await found('HARB')).toHaveLength(2);
  expect(await found('"harbour ma"')).toEqual([]);
  expect(await found('harbour -ma')).toHaveLength(2);
  expect(await found('boats or type')).toHaveLength(2);
  expect(await found('b')).toEqual([]);
  expect(await found("bo'at:*&!(")).toEqual([]);

  const key = await app.seed.key();
  expect(await app.get('/api/v1/posts?q=bo', { key })).toMatchObject({ status: 200, body: { data: [] } });
  expect(await app.get('/api/v1/posts?q=boats', { key })).toMatchObject({ body: { total: 1 } });
});

test('an owner can list scheduled drafts, also with other filters', async () => {
  await using app = await startApp();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const draft = async (title: string, status: string, publish_at: string | null) => {
    const { id } = await studio.projects.create.mutate({ title, status, is_draft: true });
    if (publish_at) await studio.projects.schedule.mutate({ id, publish_at });
  };
  await draft('Unscheduled', 'active', null);
  await draft('Spring', 'active', '2099-03-01T08:00:00Z');
  await draft('Autumn', 'planned', '2099-09-01T08:00:00Z');
  const titles = async (input: Parameters<typeof studio.projects.list.query>[0]) =>
    (await studio.projects.list.query({ sort: 'title', ...input })).items.map(({ title }) => title);

  expect(await titles({ publish_at_from: new Date(0) })).toEqual(['Autumn', 'Spring']);
  expect(await titles({ publish_at_from: new Date(0), status: ['active'] })).toEqual(['Spring']);
  expect(await titles({ publish_at_before: '2099-06-01T00:00:00Z' })).toEqual(['Spring']);
  expect(await titles({ status: 'draft' })).toEqual(['Autumn', 'Spring', 'Unscheduled']);
});

test('an owner finds people by a part of their address or name, and by access and activity', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const { id: course_id } = await studio.courses.create.mutate({ title: 'Knots' });
  const { id: other } = await studio.courses.create.mutate({ title: 'Sails' });
  const { id: content_id } = await studio.posts.create.mutate({ title: 'Paid' });
  await app.deps.database.em.execute(`
    insert into members (site_id, id, email, name, status, access_tiers, created, updated) values
      ('${siteId}', 'member000000001', 'grace@example.com', 'Grace Lin', 'active', '{members}', now(), now()),
      ('${siteId}', 'member000000002', 'lin_50%@example.com', 'Ash \\ Żuk', 'blocked', '{}', now() + '1 s', now()),
      ('${siteId}', 'member000000003', 'wren@example.com', 'Wren', 'active', '{}', now() + '2 s', now())`);
  await app.deps.database.em.execute(`
    insert into subscribers (site_id, id, email, name, source, status, soft_bounces, created) values
      ('${siteId}', 'person000000001', 'grace@example.com', '', 'footer', 'active', 0, now()), ('${siteId}', 'person000000002', 'ash@example.com', '', '', 'active', 0, now())`);
  await app.deps.database.em.execute(`
    insert into testimonials (site_id, id, name, email, company, role, content, approved, created) values
      ('${siteId}', 'person000000001', 'Grace', 'g@example.com', '', '', 'Splendid', true, now()),
      ('${siteId}', 'person000000002', 'Ash', 'a@example.com', '', '', 'Fine', false, now())`);
  const bought = { content_type: 'posts', content_id, amount: 5, currency: 'EUR' } as const;
  await studio.purchases.record.mutate({ ...bought, buyer_email: 'grace@example.com' });
  await studio.purchases.record.mutate({
    ...bought,
    content_type: 'courses',
    content_id: course_id,
    buyer_email: 'ash@example.com',
  });
  const { id } = await studio.enrollments.create.mutate({ course_id, buyer_email: 'grace@example.com' });
  await studio.enrollments.complete.mutate({ id });
  await studio.enrollments.create.mutate({ course_id: other, buyer_email: 'ash@example.com' });

  const members = async (input: Parameters<typeof studio.members.list.query>[0]) =>
    (await studio.members.list.query(input)).items.map(({ email }) => email);
  expect(await members({ q: 'LIN' })).toEqual(['lin_50%@example.com', 'grace@example.com']);
  expect(await members({ q: '50%' })).toEqual(['lin_50%@example.com']);
  expect(await members({ q: '_' })).toEqual(['lin_50%@example.com']);
  expect(await members({ q: '\\ ŻUK' })).toEqual(['lin_50%@example.com']);
  expect(await members({ q: '\\\\' })).toEqual([]);
  // A match does not span the end of an address and the beginning of a name.
  expect(await members({ q: 'comAwren' })).toEqual([]);
  expect(await members({ email: ['wren@example.com'], q: 'ren' })).toEqual(['wren@example.com']);
  expect(await members({ q: 'lin', status: ['active'] })).toEqual(['grace@example.com']);
  expect(await members({ access_tiers: ['members'] })).toEqual(['grace@example.com']);
  expect(await studio.members.list.query({ q: 'lin', per_page: 1 })).toMatchObject({ total: 2, page: 1 });

  const emails = ({ items }: { items: { buyer_email: string }[] }) =>
    items.map(({ buyer_email }) => buyer_email);
  expect((await studio.subscribers.list.query({ q: 'Foot' })).items.map(({ id }) => id)).toEqual([
    'person000000001',
  ]);
  expect((await studio.testimonials.list.query({ q: 'splend' })).total).toBe(1);
  expect((await studio.testimonials.list.query({ approved: false })).items.map(({ id }) => id)).toEqual([
    'person000000002',
  ]);
  expect(emails(await studio.purchases.list.query({ q: 'ash' }))).toEqual(['ash@example.com']);
  expect(emails(await studio.purchases.list.query({ content_type: 'posts' }))).toEqual(['grace@example.com']);
  expect(emails(await studio.enrollments.list.query({ q: 'grace' }))).toEqual(['grace@example.com']);
  expect(emails(await studio.enrollments.list.query({ course_id: other }))).toEqual(['ash@example.com']);
  expect(emails(await studio.enrollments.list.query({ completed: true }))).toEqual(['grace@example.com']);
  // A purchase of a course enrolls its buyer.
  expect(emails(await studio.enrollments.list.query({ completed: false }))).toEqual([
    'ash@example.com',
    'ash@example.com',
  ]);
});

test('an owner empties the whole trash or one collection, and never the trash of another site', async () => {
  await using app = await startApp();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const there = ownerClient(app.baseUrl, await app.seed.ownerToken(await app.seed.site())).studio;
  const discard = async (of: typeof studio) => {
    const { id } = await of.posts.create.mutate({ title: 'Gone' });
    await of.posts.delete.mutate({ id });
  };
  for (const of of [studio, studio, there]) await discard(of);
  const { id } = await studio.skills.create.mutate({ name: 'Clicking' });
  await studio.skills.delete.mutate({ id });

  expect(await studio.trash.empty.mutate({ collection: 'posts' })).toEqual({ count: 2 });
  expect((await studio.trash.list.query({})).items.map(({ title }) => title)).toEqual(['Clicking']);
  expect(await studio.trash.empty.mutate()).toEqual({ count: 1 });
  expect(await studio.trash.empty.mutate()).toEqual({ count: 0 });
  expect((await there.trash.list.query({})).total).toBe(1);
});

test('emptying a large trash deletes a thousand records per call', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  await app.deps.database.em.fork().execute(
    `insert into trash (site_id, collection, id, title, deleted, actor, record)
    select ?, 'skills', lpad(n::text, 15, '0'), 'Clicking', ?, '{}', '{}' from generate_series(1, 1001) as n`,
    [siteId, app.clock.now()],
  );
  expect(await studio.trash.empty.mutate()).toEqual({ count: 1_000 });
  expect(await studio.trash.empty.mutate()).toEqual({ count: 1 });
});

test('emptying a slow trash stops after two seconds per call, with a few records per statement', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const add = (collection: string, count: number) =>
    app.deps.database.em.fork().execute(
      `insert into trash (site_id, collection, id, title, deleted, actor, record)
    select ?, ?, lpad(n::text, 15, '0'), 'Clicking', ?, '{}', '{}' from generate_series(1, ${count}) as n`,
      [siteId, collection, app.clock.now()],
    );
  await add('skills', 60);
  let requested = 0;
  const clock = { now: () => app.clock.now(), sinceStart: () => 1_000 * requested++ };
  const deps = { ...app.deps, clock };
  expect(await emptyTrash({ deps, siteId }, undefined)).toBe(50);
  expect(await emptyTrash({ deps, siteId }, undefined)).toBe(10);
  // Few courses fit into a statement, because each may have a thousand lessons.
  await add('courses', 3);
  requested = 0;
  expect(await emptyTrash({ deps, siteId }, undefined)).toBe(2);
});

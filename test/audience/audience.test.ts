import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { anyId } from '../support/matchers.ts';
import { ownerClient, refusal, visitorClient } from '../support/rpc.ts';

// Subscriptions, testimonials, purchases and enrollments: their events, and the lists that the owner reads.

const email = 'grace@example.com';
const start = new Date('2026-01-31T09:05:00.123Z');

async function startSite() {
  const app = await startApp();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const { newsletter, testimonials } = visitorClient(app.baseUrl).site;
  return { ...app, studio, newsletter, testimonials };
}

/** Returns the data of all logged events with this name, oldest first. */
async function logged({ deps }: Pick<TestApp, 'deps'>, name: string): Promise<unknown[]> {
  const rows = await deps.database.em.execute<{ data: unknown }[]>(
    `select body::json -> 'data' as data from events where name = ? order by occurred_at`,
    [name],
  );
  return rows.map(({ data }) => data);
}

const invalid = (message: unknown) => ({ code: 'validation_failed', message });
const notFound = { code: 'not_found', message: 'not found' };
const page = { page: 1, per_page: 50 };

test('a person who subscribes repeatedly, in any letter case, is stored once and fires one event', async () => {
  await using app = await startSite();
  const subscribe = (input: { email: string; name?: string; source?: string }) =>
    app.newsletter.subscribe.mutate(input);
  expect(await subscribe({ email: 'Grace@Example.com', name: 'Grace', source: 'footer' })).toEqual({});
  expect(await subscribe({ email, name: 'Another name' })).toEqual({});
  await Promise.all(Array.from({ length: 6 }, () => subscribe({ email: 'at-once@example.com' })));
  const { items, ...about } = await app.studio.subscribers.list.query();
  expect(about).toEqual({ ...page, total: 2 });
  const grace = { id: anyId, email, name: 'Grace', source: 'footer' };
  const read = { status: 'active', confirmed_at: null, ended_at: null, created: start };
  expect(items).toContainEqual({ ...grace, ...read });
  expect(await logged(app, 'newsletter.subscribe')).toEqual([
    { ...grace, collection: 'subscribers' },
    { id: anyId, email: 'at-once@example.com', name: '', source: '', collection: 'subscribers' },
  ]);
});

test('a testimonial is stored with all its fields, and its event names the writer', async () => {
  await using app = await startSite();
  const whole = { name: 'Grace', email, company: 'Northwind', role: 'CTO', content: 'Good', rating: 5 };
  expect(await app.testimonials.submit.mutate(whole)).toEqual({});
  app.clock.advance({ minutes: 1 });
  await app.testimonials.submit.mutate({ name: 'Ada', email: 'ada@example.com', content: 'Fine' });
  const minimal = { name: 'Ada', email: 'ada@example.com', company: '', role: '' };
  expect(await app.studio.testimonials.list.query()).toEqual({
    ...page,
    total: 2,
    items: [
      { id: anyId, ...minimal, content: 'Fine', rating: null, approved: false, created: app.clock.now() },
      { id: anyId, ...whole, approved: false, created: start },
    ],
  });
  const { content: _, rating: __, ...writer } = whole;
  expect(await logged(app, 'testimonial.submitted')).toEqual([
    { id: anyId, collection: 'testimonials', ...writer },
    { id: anyId, collection: 'testimonials', ...minimal },
  ]);
});

test('input of visitors is validated', async () => {
  await using app = await startSite();
  const testimonial = { name: 'Grace', email, content: 'Good' };
  const wrong: [field: string, input: object][] = [
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(201) }],
    ['name', { name: 'a\0' }],
    ['company', { company: 'x'.repeat(201) }],
    ['role', { role: 5 }],
    ['content', { content: '' }],
    ['content', { content: 'x'.repeat(5_001) }],
    ['rating', { rating: 0 }],
    ['rating', { rating: 6 }],
    ['rating', { rating: 4.5 }],
    ['rating', { rating: '5' }],
    ['approved', { approved: true }],
  ];
  for (const [field, input] of wrong) {
    const call = app.testimonials.submit.mutate({ ...testimonial, ...input });
    expect([field, await refusal(call)]).toEqual([field, invalid(expect.stringContaining(field))]);
  }
  for (const input of [{ source: 'x'.repeat(201) }, { name: 'x'.repeat(201) }, { site_id: 'x' }]) {
    expect(await refusal(app.newsletter.subscribe.mutate({ email, ...input }))).toEqual(
      invalid(expect.any(String)),
    );
  }
  expect(await app.studio.testimonials.list.query()).toMatchObject({ total: 0 });
  expect(await app.studio.subscribers.list.query()).toMatchObject({ total: 0 });
});

test.each(['posts', 'projects', 'courses', 'talks', 'pages'] as const)(
  'a purchase of a record in %s is stored, and logged as `purchase.completed`',
  async (content_type) => {
    await using app = await startSite();
    const { id: content_id } = await app.studio[content_type].create.mutate({
      title: 'A thing',
      is_draft: true,
    });
    const bought = { content_type, content_id, amount: 49.99, currency: 'EUR' };
    const purchase = await app.studio.purchases.record.mutate({
      ...bought,
      buyer_email: 'Grace@example.com',
    });
    expect(purchase).toEqual({ id: anyId, created: start });
    expect(await logged(app, 'purchase.completed')).toEqual([
      { id: purchase.id, collection: 'purchases', buyer_email: email, ...bought },
    ]);
  },
);

test('a purchase is validated, and its record must be one of the site', async () => {
  await using app = await startSite();
  const theirs = ownerClient(app.baseUrl, await app.seed.ownerToken(await app.seed.site())).studio;
  const { id: theirPost } = await theirs.posts.create.mutate({ title: 'Theirs' });
  const { id: content_id } = await app.studio.posts.create.mutate({ title: 'Post' });
  const purchase = {
    buyer_email: email,
    content_type: 'posts',
    content_id,
    amount: 1,
    currency: 'EUR',
  } as const;
  const wrong: [field: string, input: object][] = [
    ['amount', { amount: -1 }],
    ['amount', { amount: 1.005 }],
    ['amount', { amount: '1' }],
    ['currency', { currency: 'eur' }],
    ['currency', { currency: 'EURO' }],
    ['currency', { currency: 'ZZZ' }],
    ['currency', { currency: 'EUR\n' }],
    ['content_type', { content_type: 'post' }],
    ['content_type', { content_type: 'constructor' }],
    ['content_type', { content_type: '__proto__' }],
    ['content_type', { content_type: 'lessons' }],
    ['content_type', { content_type: 'members' }],
    ['content_id', { content_id: 'nope' }],
    ['content_id', { content_id: 'a'.repeat(15) }],
    ['content_id', { content_id: theirPost }],
    ['content_id', { content_type: 'projects' }],
    ['refunded', { refunded: true }],
  ];
  for (const [field, input] of wrong) {
    const call = app.studio.purchases.record.mutate({ ...purchase, ...input });
    expect([input, await refusal(call)]).toEqual([input, invalid(expect.stringContaining(field))]);
  }
  expect(await logged(app, 'purchase.completed')).toEqual([]);
  expect(await app.deps.database.em.execute('select * from purchases')).toEqual([]);
});

test('a learner enrolls in a course once, and completes it once', async () => {
  await using app = await startSite();
  const { id: course_id } = await app.studio.courses.create.mutate({ title: 'Course' });
  const enroll = () => app.studio.enrollments.create.mutate({ course_id, buyer_email: email });
  const made = await Promise.all(Array.from({ length: 4 }, enroll));
  expect(made).toEqual(Array(4).fill({ id: made[0]?.id, created: start }));
  const id = made[0]?.id ?? '';
  app.clock.advance({ days: 20 });
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const complete = () => studio.enrollments.complete.mutate({ id });
  const all = await Promise.all(Array.from({ length: 4 }, complete));
  expect(all).toEqual(all.map(() => ({ status: 'updated' })));
  const enrolment = { id, collection: 'enrollments', course: course_id, buyer_email: email };
  expect(await logged(app, 'course.enrolled')).toEqual([enrolment]);
  expect(await logged(app, 'course.completed')).toEqual([
    { ...enrolment, completed_at: app.clock.now().toISOString() },
  ]);
});

test('an enrollment must be in a course of the site', async () => {
  await using app = await startSite();
  const theirs = ownerClient(app.baseUrl, await app.seed.ownerToken(await app.seed.site())).studio;
  const { id: theirCourse } = await theirs.courses.create.mutate({ title: 'Theirs' });
  for (const course_id of [theirCourse, 'a'.repeat(15), 'x', ''])
    expect(await refusal(app.studio.enrollments.create.mutate({ course_id, buyer_email: email }))).toEqual(
      invalid(expect.stringMatching(/^course_id: /)),
    );
  const { id } = await theirs.enrollments.create.mutate({ course_id: theirCourse, buyer_email: email });
  for (const unknown of [id, 'a'.repeat(15), 'x'])
    expect(await refusal(app.studio.enrollments.complete.mutate({ id: unknown }))).toEqual(notFound);
  expect(await logged(app, 'course.completed')).toEqual([]);
});

test('a failed event rolls back its record, and a failed record its event', async () => {
  await using app = await startSite();
  const execute = (statement: string) => app.deps.database.em.execute<object[]>(statement);
  const { id: course_id } = await app.studio.courses.create.mutate({ title: 'Course' });
  const { id: post } = await app.studio.posts.create.mutate({ title: 'Post' });
  const { id } = await app.studio.enrollments.create.mutate({ course_id, buyer_email: 'early@example.com' });
  const bought = { content_type: 'posts', content_id: post, amount: 1, currency: 'EUR' } as const;
  const sources = [
    () => app.newsletter.subscribe.mutate({ email }),
    () => app.testimonials.submit.mutate({ email, name: 'Grace', content: 'Good' }),
    () => app.studio.purchases.record.mutate({ ...bought, buyer_email: email }),
    () => app.studio.enrollments.create.mutate({ course_id, buyer_email: email }),
    () => app.studio.enrollments.complete.mutate({ id }),
  ];
  const rows = () =>
    Promise.all(
      ['subscribers', 'testimonials', 'purchases', 'enrollments', 'events'].map((table) =>
        execute(`select * from ${table}`),
      ),
    );
  const before = await rows();
  await execute('alter table events add constraint full_disk check (false) not valid');
  const failed = { code: 'internal_error', message: 'internal error' };
  for (const source of sources) expect(await refusal(source())).toEqual(failed);
  expect(await rows()).toEqual(before);
  await execute('alter table events drop constraint full_disk');
  for (const source of sources) await source();
  const lengths = (tables: object[][]) => tables.map((list) => list.length);
  expect(lengths(before)).toEqual([0, 0, 0, 1, 2]);
  expect(lengths(await rows())).toEqual([1, 1, 1, 2, 7]);
});

test('lists of the owner are paginated, newest first', async () => {
  await using app = await startSite();
  for (const n of [1, 2, 3]) {
    await app.newsletter.subscribe.mutate({ email: `${n}@example.com` });
    await app.testimonials.submit.mutate({ name: `${n}`, email, content: 'x' });
    app.clock.advance({ ms: 1 });
  }
  const subscribers = await app.studio.subscribers.list.query({ page: 2, per_page: 2 });
  expect(subscribers).toMatchObject({ page: 2, per_page: 2, total: 3, items: [{ email: '1@example.com' }] });
  const testimonials = await app.studio.testimonials.list.query({ per_page: 2 });
  expect(testimonials).toMatchObject({ page: 1, total: 3, items: [{ name: '3' }, { name: '2' }] });
  expect(await app.studio.subscribers.list.query({ page: 9 })).toMatchObject({ items: [], total: 3 });
});

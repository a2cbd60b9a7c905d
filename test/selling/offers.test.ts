import { expect, test } from 'vitest';
import { refusal } from '../support/rpc.ts';
import { startSellingSite } from '../support/selling-site.ts';
import { createVisitor } from '../support/visitor.ts';

const post = { title: 'a', interval: 'once', collection: 'posts', amount: 5, currency: 'EUR' } as const;
const month = { title: 'a', interval: 'month', amount: 5, currency: 'EUR' } as const;
const unknown = 'mb3k9x2a7f0q1zd';

test.for([
  ['amount', { ...month, amount: 5.005 }],
  ['amount', { ...month, amount: 0 }],
  ['amount', { ...month, amount: -1 }],
  ['amount', { ...month, amount: 0.49 }],
  ['amount', { ...month, amount: 1_000_000 }],
  ['amount', { ...month, amount: 500.5, currency: 'JPY' }],
  ['amount', { ...month, amount: 49, currency: 'JPY' }],
  ['amount', { ...month, amount: 10.5, currency: 'ISK' }],
  ['amount', { ...month, amount: 1.005, currency: 'KWD' }],
  ['currency', { ...month, currency: 'eur' }],
  ['currency', { ...month, currency: 'XXY' }],
  ['currency', { title: 'a', interval: 'month', amount: 5 }],
  ['tiers', { ...post, record_id: unknown, tiers: ['paid'] }],
  ['tiers', { ...month, tiers: [] }],
  ['tiers', { ...month, tiers: ['free'] }],
  ['tiers', { ...month, tiers: ['paid', 'paid'] }],
  ['trial_days', { ...post, record_id: unknown, trial_days: 14 }],
  ['trial_days', { ...month, trial_days: 0 }],
  ['trial_days', { ...month, trial_days: 91 }],
  ['record_id', { ...post }],
  ['record_id', { ...post, record_id: unknown }],
  ['record_id', { ...month, record_id: unknown }],
  ['collection', { title: 'a', interval: 'once', record_id: unknown, amount: 5, currency: 'EUR' }],
  ['collection', { ...post, collection: 'talks', record_id: unknown }],
  ['interval', { ...month, interval: 'week' }],
  ['title', { ...month, title: '' }],
  ['title', { ...month, title: 'a'.repeat(201) }],
  ['sort_order', { ...month, sort_order: 0.5 }],
] as const)('an invalid offer is refused with the field %s: %j', async ([field, values]) => {
  await using app = await startSellingSite();
  const { code, message } = await refusal(app.studio.offers.create.mutate(values as never));
  expect([code, message]).toEqual([
    'validation_failed',
    expect.stringMatching(new RegExp(`(^|; )${field}(\\.0)?:`)),
  ]);
  expect((await app.studio.offers.list.query()).total).toBe(0);
});

test('an offer needs a published, public record with the tier paid, and a record has one active offer', async () => {
  await using app = await startSellingSite();
  const { studio, ids } = app;
  const make = (title: string, values: object) =>
    studio.posts.create.mutate({
      title,
      access_tier: 'paid',
      is_draft: false,
      visibility: 'public',
      ...values,
    });
  for (const values of [
    { is_draft: true },
    { visibility: 'private' },
    { access_tier: 'members' },
    { access_tier: 'free' },
  ]) {
    const { id } = await make('Another', values);
    expect(await refusal(app.sellPost({ record_id: id }))).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('record_id: '),
    });
  }
  const { id } = await app.sellPost();
  expect((await refusal(app.sellPost())).message).toContain('record_id: has an active offer already');
  await studio.offers.update.mutate({ id, active: false });
  await app.sellPost({ amount: 7 });
  expect((await refusal(studio.offers.update.mutate({ id, active: true }))).message).toContain(
    'record_id: has an active',
  );
  expect((await refusal(studio.offers.update.mutate({ id, trial_days: 3 }))).message).toContain(
    'trial_days: ',
  );
  expect((await refusal(studio.offers.update.mutate({ id, tiers: ['paid'] }))).message).toContain('tiers: ');
  expect((await refusal(studio.offers.update.mutate({ id, amount: 0.1 }))).message).toContain(
    'amount: must be at least 0.5 EUR',
  );
  expect((await refusal(studio.offers.update.mutate({ id: ids.post, amount: 1 }))).code).toBe('not_found');
  for (const fixed of [
    { currency: 'USD' },
    { interval: 'year' },
    { record_id: ids.post },
    { collection: 'courses' },
  ])
    expect((await refusal(studio.offers.update.mutate({ id, ...fixed } as never))).code).toBe(
      'validation_failed',
    );
});

test('keys with read:payments list offers by position and id, without the product of the provider', async () => {
  await using app = await startSellingSite();
  const last = await app.sellMembership({ sort_order: 2, trial_days: 14, tiers: ['members'] });
  const first = await app.sellPost();
  const off = await app.sellMembership({ sort_order: 1, active: false });
  const key = await app.seed.key({ scopes: ['read:payments'] });
  const { status, body } = await app.get('/api/v2/offers', { key });
  expect(status).toBe(200);
  const { items } = body as { items: { id: string }[] };
  expect(items.map(({ id }) => id)).toEqual([first.id, off.id, last.id]);
  expect(items[2]).toEqual({
    ...{ id: last.id, title: 'Membership', kind: 'membership', collection: null, record_id: null },
    ...{ tiers: ['members'], interval: 'month', amount: 5, currency: 'EUR', trial_days: 14 },
    ...{ active: true, sort_order: 2, created: expect.any(String), updated: expect.any(String) },
  });
  const active = await app.studio.offers.list.query({ active: false });
  expect(active.items.map(({ id }) => id)).toEqual([off.id]);
  const reader = await app.seed.key({ scopes: ['read', 'read:content', 'mcp:read'] });
  expect((await app.get('/api/v2/offers', { key: reader })).status).toBe(403);
});

test('a membership offer without `tiers` includes the tiers paid and members', async () => {
  await using app = await startSellingSite();
  await app.sellMembership();
  expect((await app.studio.offers.list.query()).items).toMatchObject([{ tiers: ['paid', 'members'] }]);
});

test('a site has at most 200 offers', async () => {
  await using app = await startSellingSite();
  const { id } = await app.sellMembership();
  await app.deps.database.em.execute(
    `insert into offers (site_id, id, title, kind, tiers, interval, amount, currency, active, sort_order, created, updated)
     select site_id, id || n, title, kind, tiers, interval, amount, currency, active, n, created, updated
     from offers, generate_series(1, 199) n where id = '${id}'`,
  );
  expect((await refusal(app.sellMembership())).message).toBe('title: a site has at most 200 offers');
});

test('an offer is unavailable while its record is hidden, not paid or in the trash, and inactive once it is purged', async () => {
  await using app = await startSellingSite();
  const { studio, ids, visit } = app;
  const { id } = await app.sellPost();
  const begin = async () => (await visit(`/buy/${id}`, { form: { email: 'grace@example.com' } })).status;
  const isActive = async () => (await studio.offers.list.query()).items[0]?.active;
  for (const hidden of [
    { is_draft: true },
    { visibility: 'unlisted' as const },
    { access_tier: 'members' },
  ]) {
    await studio.posts.update.mutate({ id: ids.post, ...hidden });
    expect([hidden, await begin()]).toEqual([hidden, 409]);
    expect((await visit(`/buy/${id}`)).text).toContain('This is not for sale at the moment.');
    await studio.posts.update.mutate({
      id: ids.post,
      is_draft: false,
      visibility: 'public',
      access_tier: 'paid',
    });
    expect(await begin()).toBe(303);
  }
  await studio.posts.delete.mutate({ id: ids.post });
  expect(await begin()).toBe(409);
  await studio.trash.restore.mutate({ collection: 'posts', id: ids.post });
  expect([await isActive()]).toEqual([true]);
  await studio.posts.delete.mutate({ id: ids.post });
  await studio.trash.purge.mutate({ collection: 'posts', id: ids.post });
  expect([await isActive(), await begin()]).toEqual([false, 409]);
});

test('cached pages show each change of an offer immediately, and search engines get its price', async () => {
  await using app = await startSellingSite();
  const { studio, ids, visit } = app;
  const seen = async (path: string) => {
    const { text } = await visit(path);
    const [, price] = /"offers":\{[^}]*"price":"([\d.]+)"/.exec(text) ?? [];
    return [/Buy for ([^<]+)</.exec(text)?.[1], price];
  };
  for (const path of ['/posts/sleep', '/courses/locks', '/courses']) await seen(path);
  expect(await seen('/courses/locks')).toEqual([undefined, '12']);
  const { id } = await app.sellPost();
  const course = {
    title: 'Locks',
    interval: 'once',
    collection: 'courses',
    amount: 30.5,
    currency: 'USD',
  } as const;
  await studio.offers.create.mutate({ ...course, record_id: ids.course });
  expect(await seen('/posts/sleep')).toEqual(['€49', '49']);
  expect(await seen('/courses/locks')).toEqual(['$30.50', '30.5']);
  for (const path of ['/courses', '/']) expect((await visit(path)).text).toContain('$30.50');
  await studio.offers.update.mutate({ id, amount: 51.25 });
  expect(await seen('/posts/sleep')).toEqual(['€51.25', '51.25']);
  await studio.offers.update.mutate({ id, active: false });
  expect(await seen('/posts/sleep')).toEqual([undefined, undefined]);
  expect((await studio.courses.get.query({ id: ids.course })).price).toBe(12);
});

test('German pages write prices with a comma, and the note and terms are beside each buy button', async () => {
  await using app = await startSellingSite();
  const { studio, visit } = app;
  const selling = { note: 'inkl. <MwSt>', terms_url: 'https://ada.example/agb' };
  await studio.site.update.mutate({ language: 'de', selling });
  const { id } = await app.sellPost({ amount: 49.5 });
  await app.sellMembership({ amount: 1_234.5 });
  for (const path of ['/posts/sleep', `/buy/${id}`]) {
    const { text } = await visit(path);
    expect(text).toContain('49,50\u00a0€');
    expect(text).toContain('inkl. &lt;MwSt&gt;');
    expect(text).toContain('href="https://ada.example/agb"');
  }
  expect((await visit('/posts/sleep')).text).toContain('Mitglied werden: 1.234,50\u00a0€ im Monat');
  await studio.site.update.mutate({ selling: { note: '' } });
  expect(await studio.site.get.query()).toMatchObject({
    selling: { note: '', terms_url: selling.terms_url },
  });
  for (const terms_url of ['javascript:alert(1)', 'ada.example', 'https://'])
    expect((await refusal(studio.site.update.mutate({ selling: { terms_url } }))).code).toBe(
      'validation_failed',
    );
  expect((await refusal(studio.site.update.mutate({ selling: { note: 'a'.repeat(501) } }))).code).toBe(
    'validation_failed',
  );
});

test('a preview has no buy button', async () => {
  await using app = await startSellingSite();
  await app.sellPost();
  await app.studio.posts.update.mutate({ id: app.ids.post, is_draft: true });
  const { url } = await app.studio.previews.create.mutate({
    collection: 'posts',
    id: app.ids.post,
    as: 'free',
  } as never);
  const { status, text } = await createVisitor(app.baseUrl)(new URL(url).pathname);
  expect([status, text.includes('Buy for')]).toEqual([200, false]);
});

test('new pages cannot have the slugs hooks, buy and certificates, and existing pages keep them', async () => {
  await using app = await startSellingSite();
  const { studio, visit } = app;
  for (const slug of ['hooks', 'buy', 'certificates'])
    expect((await refusal(studio.pages.create.mutate({ title: 'a', slug }))).message).toContain('slug: ');
  const { id } = await studio.pages.create.mutate({
    title: 'Diplomas',
    slug: 'a',
    is_draft: false,
    visibility: 'public',
  });
  await app.deps.database.em.execute(`update pages set slug = 'certificates' where id = ?`, [id]);
  expect((await visit('/certificates')).text).toContain('Diplomas');
  await studio.pages.update.mutate({ id, title: 'All diplomas' });
  expect((await visit('/certificates')).text).toContain('All diplomas');
});

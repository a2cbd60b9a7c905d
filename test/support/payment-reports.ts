import { expect } from 'vitest';
import { startApp } from './app.ts';
import { ownerClient } from './rpc.ts';

/** Starts a site with a paid post and a paid course, and an API key that reports sales and memberships. */
export async function startPaymentReports() {
  const app = await startApp();
  const siteId = await app.seed.ownSite();
  const key = await app.seed.key({ scopes: ['read:payments', 'write:payments'] });
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const { id: post } = await studio.posts.create.mutate({
    title: 'Paid',
    access_tier: 'paid',
    content: 'Body',
  });
  const { id: course } = await studio.courses.create.mutate({ title: 'Course', access_tier: 'paid' });

  const run = <Row>(text: string, values: unknown[] = []) =>
    app.deps.database.em.fork().execute<Row[]>(text, values);
  const eventsNamed = async (name: string) =>
    (
      await run<{ data: object }>(`select body::json -> 'data' as data from events where name = ?`, [name])
    ).map(({ data }) => data);

  let numbered = 0;
  const saleOf = (values: object = {}) => {
    numbered += 1;
    return {
      buyer_email: 'Grace@Example.com',
      content_type: 'posts',
      content_id: post,
      amount: 49.5,
      currency: 'EUR',
      provider: 'gumroad',
      external_id: `sale-${numbered}`,
      ...values,
    };
  };
  const record = (body: object) => app.post('/api/v2/purchases', { key, body });
  const recorded = async (values: object = {}) => {
    const { status, body } = await record(saleOf(values));
    expect(status).toBe(201);
    return (body as { id: string }).id;
  };
  const update = (id: string, body: object) => app.patch(`/api/v2/purchases/${id}`, { key, body });
  const listed = async (query: string) =>
    (await app.get(`/api/v2/purchases?${query}`, { key })).body as { items: { id: string }[]; total: number };
  const read = async (id: string) =>
    (await listed('per_page=200')).items.find((item) => item.id === id) ?? null;
  const report = (values: object) =>
    app.post('/api/v2/memberships', {
      key,
      body: {
        provider: 'patreon',
        external_id: 'pledge-1',
        email: 'fan@example.com',
        tiers: ['members'],
        state: 'active',
        open_until: app.clock.inMinutes(60 * 24 * 30).toISOString(),
        as_of: app.clock.now().toISOString(),
        ...values,
      },
    });
  return {
    ...app,
    siteId,
    key,
    studio,
    course,
    run,
    eventsNamed,
    saleOf,
    record,
    recorded,
    update,
    read,
    report,
  };
}

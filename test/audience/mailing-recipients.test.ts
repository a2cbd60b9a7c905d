import { afterAll, expect, test } from 'vitest';
import { startMailingSite } from '../support/mailing-site.ts';
import { createMailingStates, sending } from '../support/mailing-states.ts';
import { sentMailing } from '../support/sent-mailing.ts';

const app = await startMailingSite({ smtpUrl: 'smtp://127.0.0.1:1' });
afterAll(() => app[Symbol.asyncDispose]());
const { ownSite, stateOf, addCopies } = createMailingStates(app);

test('recipients are listed by state and page, with their total', async () => {
  const { siteId, post_id, studio: own } = await ownSite();
  const { id } = await own.mailings.create.mutate({ post_id });
  await stateOf(id, sending);
  await addCopies(siteId, id, { queued: 2, refused: 3 });
  const all = await own.mailings.recipients.query({ id });
  expect([all.total, all.items.length]).toEqual([5, 5]);
  const refused = await own.mailings.recipients.query({ id, state: 'refused', per_page: 2 });
  expect([refused.total, refused.items.length]).toEqual([3, 2]);
  const [last] = (await own.mailings.recipients.query({ id, state: 'refused', per_page: 2, page: 2 })).items;
  expect(last).toEqual({
    id: expect.any(String),
    subscriber_id: expect.any(String),
    email: expect.stringMatching(/^refused\d@example.com$/),
    state: 'refused',
    body: null,
    attempts: 1,
    unconfirmed: 0,
    reply_code: null,
    reply_status: null,
    due_at: null,
    ended_at: null,
  });
});

test('emails to one reader are listed newest first, without those to others', async () => {
  const site = await ownSite();
  const run = { run: app.run, siteId: site.siteId };
  const earlier = await sentMailing(run, ['ada@example.com', 'bob@example.com'], { daysAgo: 2 });
  const later = await sentMailing(run, ['ada@example.com'], { state: 'refused', status: '5.2.2' });
  const [ada] = await app.run<{ id: string }>(`select substr(md5('ada@example.com'), 1, 15) as id`);
  const copy = {
    ...{ subject: '', body: null, attempts: 1, unconfirmed: 0, reply_code: null, due_at: null },
    ended_at: expect.any(Date),
  };
  expect(await site.studio.mailings.received.query({ subscriber_id: ada?.id ?? '' })).toEqual({
    items: [
      {
        ...copy,
        id: later.copyOf('ada@example.com'),
        mailing_id: later.id,
        state: 'refused',
        reply_status: '5.2.2',
      },
      {
        ...copy,
        id: earlier.copyOf('ada@example.com'),
        mailing_id: earlier.id,
        state: 'accepted',
        reply_status: null,
      },
    ],
    page: 1,
    per_page: expect.any(Number),
    total: 2,
  });
});

test('an audience is counted by source and tier, and by the body that each reader receives', async () => {
  const { siteId, studio: own } = await ownSite();
  const emails = ['member', 'both', 'plain', 'buyer', 'stranger', 'blocked', 'gone'].map(
    (name) => `${name}@x.example`,
  );
  await app.subscribe(emails, siteId);
  await app.run(
    `update subscribers set source = 'talk' where site_id = ? and email in ('both@x.example', 'plain@x.example')`,
    [siteId],
  );
  await app.run(
    `update subscribers set status = 'unsubscribed' where site_id = ? and email = 'gone@x.example'`,
    [siteId],
  );
  const members = {
    member: '{members}',
    both: '{members,paid}',
    plain: '{}',
    buyer: '{}',
    gone: '{members}',
  };
  for (const [name, tiers] of Object.entries({ ...members, blocked: '{members}' }))
    await app.run(
      `insert into members (site_id, id, email, name, status, access_tiers, created, updated)
       values (?, substr(md5(?), 1, 15), ?, '', ?, ?::text[], now(), now())`,
      [siteId, name, `${name}@x.example`, name === 'blocked' ? 'blocked' : 'active', tiers],
    );
  const postOf = async (access_tier: string) =>
    (await own.posts.create.mutate({ title: access_tier, content: 'A', access_tier })).id;
  const paid = await postOf('paid');
  await own.purchases.record.mutate({
    buyer_email: 'buyer@x.example',
    content_type: 'posts',
    content_id: paid,
    amount: 5,
    currency: 'EUR',
  });
  const count = (post_id: string, audience = {}) => own.mailings.audience.query({ post_id, audience });
  expect(await count(paid)).toEqual({
    recipients: 6,
    open: 2,
    closed: 4,
    by_source: [
      { source: 'footer', recipients: 4 },
      { source: 'talk', recipients: 2 },
    ],
    by_tier: expect.toSatisfy((tiers: { tier: string; recipients: number }[]) => {
      const sorted = tiers.toSorted((a, b) => a.tier.localeCompare(b.tier));
      expect(sorted).toEqual([
        { tier: 'members', recipients: 2 },
        { tier: 'paid', recipients: 1 },
        { tier: 'registered', recipients: 4 },
      ]);
      return true;
    }),
  });
  const opens = async (tier: string) => (await count(await postOf(tier))).open;
  expect([
    await opens('free'),
    await opens('registered'),
    await opens('members'),
    await opens('gold'),
  ]).toEqual([6, 4, 2, 0]);
  const filtered = async (audience: object) => (await count(paid, audience)).recipients;
  expect(await filtered({ sources: ['talk'] })).toBe(2);
  expect(await filtered({ access_tiers: ['registered'] })).toBe(4);
  expect(await filtered({ access_tiers: ['paid', 'members'] })).toBe(2);
  expect(await filtered({ access_tiers: ['members'], sources: ['footer'] })).toBe(1);
});

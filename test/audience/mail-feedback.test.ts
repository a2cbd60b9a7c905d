import { expect, test } from 'vitest';
import { startMailingSite } from '../support/mailing-site.ts';
import { sentMailing } from '../support/sent-mailing.ts';

// Bounces and complaints for accepted emails, which an owner's programs report.

const ada = 'ada@example.com';
const bob = 'bob@example.com';

async function startSite() {
  const site = await startMailingSite();
  const key = await site.seed.key({ siteId: site.siteId, scopes: ['write:newsletter'] });
  await site.subscribe([ada, bob]);
  return Object.assign(site, {
    sent: (emails = [ada, bob], about: Parameters<typeof sentMailing>[2] = {}) =>
      sentMailing(site, emails, about),
    report: async (...items: object[]) => {
      // Moves the clock to the database's time, which mailings use.
      site.clock.catchUp();
      const { status, body } = await site.post('/api/v2/mailings/feedback', { key, body: { items } });
      return [status, body];
    },
    /** Returns the status of each subscriber by address. */
    statuses: async () =>
      Object.fromEntries(
        (await site.run<{ email: string; status: string }>('select email, status from subscribers')).map(
          ({ email, status }) => [email, status],
        ),
      ),
    reasons: async () =>
      (await site.run<{ reason: string }>('select reason from suppressions order by reason')).map(
        ({ reason }) => reason,
      ),
    /** Returns the number of recipients by state, after a comparison with the counters of the mailing. */
    add: async (id: string) => {
      const found = await site.counts(id);
      expect(found?.counted).toEqual(found?.are);
      return found?.are;
    },
  });
}

const taken = (known: number, unknown = 0) => [200, { known, unknown }];

test('a permanent bounce marks the email and its reader as bounced, and suppresses the address', async () => {
  await using site = await startSite();
  const { id, copyOf } = await site.sent();
  expect(await site.report({ recipient: copyOf(ada), type: 'bounce', status: '5.1.1' })).toEqual(taken(1));
  expect(await site.add(id)).toEqual({ accepted: 1, bounced: 1 });
  expect(await site.statuses()).toEqual({ [ada]: 'bounced', [bob]: 'active' });
  expect(await site.reasons()).toEqual(['bounced']);
});

test("a complaint ends the reader's subscription, also after they unsubscribed", async () => {
  await using site = await startSite();
  const { id, copyOf } = await site.sent();
  await site.unsubscribe(ada);
  const complaints = [ada, bob].map((email) => ({ recipient: copyOf(email), type: 'complaint' }));
  expect(await site.report(...complaints)).toEqual(taken(2));
  expect(await site.add(id)).toEqual({ complained: 2 });
  expect(await site.statuses()).toEqual({ [ada]: 'complained', [bob]: 'complained' });
  expect(await site.reasons()).toEqual(['complained', 'complained']);
});

test('a complaint overrides a bounce, and replaces a weaker reason of suppression', async () => {
  await using site = await startSite();
  const { id, copyOf } = await site.sent([ada]);
  const about = { recipient: copyOf(ada) };
  await site.report({ ...about, type: 'bounce' }, { ...about, type: 'complaint' });
  expect([await site.add(id), await site.statuses(), await site.reasons()]).toEqual([
    { complained: 1 },
    { [ada]: 'complained', [bob]: 'active' },
    ['complained'],
  ]);
});

test('a report finds an email by id, by Message-ID with or without brackets, or the latest email by address', async () => {
  await using site = await startSite();
  await site.subscribe(['eve@example.com', 'dan@example.com']);
  const emails = [ada, bob, 'eve@example.com', 'dan@example.com'];
  const before = await site.sent(emails, { daysAgo: 1 });
  const { id, copyOf } = await site.sent(emails);
  const type = 'bounce';
  expect(
    await site.report(
      { recipient: copyOf(ada), type },
      { message_id: `<${copyOf(bob)}.${id}@example.com>`, type },
      { message_id: `${copyOf('eve@example.com')}.${id}@example.com`, type },
      { email: 'Dan@example.com', type },
    ),
  ).toEqual(taken(4));
  expect([await site.add(id), await site.add(before.id)]).toEqual([{ bounced: 4 }, { accepted: 4 }]);
});

test('a report for an unknown email or reader is listed as such, and changes nothing', async () => {
  await using site = await startSite();
  const other = await site.seed.site();
  await site.subscribe([ada], other);
  const theirs = await site.sent([ada], { site: other });
  const items = [
    { recipient: theirs.copyOf(ada), type: 'complaint' },
    { message_id: `<${theirs.copyOf(ada)}.${theirs.id}@example.com>`, type: 'complaint' },
    { message_id: 'something@else', type: 'bounce' },
    { email: 'nobody@example.com', type: 'bounce' },
  ];
  expect(await site.report(...items)).toEqual(taken(0, 4));
  expect([await site.add(theirs.id), await site.reasons()]).toEqual([{ accepted: 1 }, []]);
});

test('a repeated report changes nothing', async () => {
  await using site = await startSite();
  const { id, copyOf } = await site.sent();
  const item = { recipient: copyOf(ada), type: 'bounce', permanent: false };
  for (let n = 0; n < 5; n++) expect(await site.report(item)).toEqual(taken(1));
  expect([await site.add(id), await site.statuses()]).toEqual([
    { accepted: 1, bounced: 1 },
    { [ada]: 'active', [bob]: 'active' },
  ]);
});

test('a bounce for other reasons than an unknown mailbox ends a subscription only in two consecutive mailings', async () => {
  await using site = await startSite();
  await site.sent([ada, bob], { daysAgo: 9, state: 'refused', status: '5.2.2' });
  await site.sent([bob], { daysAgo: 5 });
  const { copyOf } = await site.sent();
  const full = [ada, bob].map((email) => ({ recipient: copyOf(email), type: 'bounce', status: '5.2.2' }));
  await site.report(...full);
  expect(await site.statuses()).toEqual({ [ada]: 'bounced', [bob]: 'active' });
});

test('the fourth delay ends a subscription if each was at most fourteen days after the one before', async () => {
  await using site = await startSite();
  const delays = async (email: string, ...days: number[]) => {
    for (const daysAgo of days) {
      const { copyOf } = await site.sent([email], { daysAgo });
      const at = new Date(Date.now() - daysAgo * 86_400_000 + 1_000).toISOString();
      await site.report({ recipient: copyOf(email), type: 'bounce', status: '4.4.7', at });
    }
  };
  await delays(ada, 40, 30, 20);
  await delays(bob, 60, 50, 40, 20);
  expect(await site.statuses()).toEqual({ [ada]: 'active', [bob]: 'active' });
  await delays(ada, 10);
  expect(await site.statuses()).toEqual({ [ada]: 'bounced', [bob]: 'active' });
});

test('a refusal because of content or sender counts for the mailing, never against the reader', async () => {
  await using site = await startSite();
  for (const status of ['5.7.1', '5.7.26', '5.1.8']) {
    const { id, copyOf } = await site.sent();
    await site.report({ recipient: copyOf(ada), type: 'bounce', status });
    expect(await site.add(id)).toEqual({ accepted: 1, bounced: 1 });
  }
  expect([await site.statuses(), await site.reasons()]).toEqual([{ [ada]: 'active', [bob]: 'active' }, []]);
});

test('a bounce of an unconfirmed email, by id or address, confirms that it was accepted', async () => {
  await using site = await startSite();
  const before = await site.sent([ada, bob], { daysAgo: 1 });
  const { id, copyOf } = await site.sent([ada, bob], { state: 'unknown' });
  await site.report({ recipient: copyOf(ada), type: 'bounce' }, { email: bob, type: 'bounce' });
  expect([await site.add(id), await site.add(before.id), await site.statuses()]).toEqual([
    { bounced: 2 },
    { accepted: 2 },
    { [ada]: 'bounced', [bob]: 'bounced' },
  ]);
});

test('a bounce from before the reader confirmed again has no effect on them', async () => {
  await using site = await startSite();
  const { copyOf } = await site.sent([ada], { daysAgo: 2 });
  await site.run(`update subscribers set confirmed_at = now() - interval '1 hour' where email = ?`, [ada]);
  const at = new Date(Date.now() - 86_400_000).toISOString();
  await site.report({ recipient: copyOf(ada), type: 'bounce', at });
  expect([await site.statuses(), await site.reasons()]).toEqual([{ [ada]: 'active', [bob]: 'active' }, []]);
});

test('a bounce suppresses the address of a reader whose row was deleted', async () => {
  await using site = await startSite();
  const { copyOf } = await site.sent();
  await site.run('delete from subscribers');
  await site.report(
    { recipient: copyOf(ada), type: 'bounce' },
    { recipient: copyOf(bob), type: 'complaint' },
  );
  expect(await site.reasons()).toEqual(['bounced', 'complained']);
});

test('a thousand reports are processed in one call, also concurrently for the same emails', async () => {
  await using site = await startSite();
  const emails = Array.from({ length: 500 }, (_, n) => `r${n}@example.com`);
  await site.subscribe(emails);
  const { id, copies } = await site.sent(emails);
  const items = Object.values(copies).flatMap((recipient) => [
    { recipient, type: 'bounce', permanent: false },
    { recipient, type: 'complaint' },
  ]);
  const answers = await Promise.all([site.report(...items), site.report(...items.toReversed())]);
  expect(answers).toEqual([taken(1_000), taken(1_000)]);
  expect(await site.add(id)).toEqual({ complained: 500 });
});

test('a report contains exactly one of id, Message-ID and address, and a valid status', async () => {
  await using site = await startSite();
  for (const item of [
    { type: 'bounce' },
    { type: 'bounce', recipient: 'mb3k9x2a7f0q1zd', email: ada },
    { type: 'open', email: ada },
    { type: 'bounce', email: ada, status: '250' },
    { type: 'bounce', email: ada, at: 'yesterday' },
  ])
    expect([item, (await site.report(item))[0]]).toEqual([item, 400]);
  expect((await site.report())[0]).toBe(400);
  expect((await site.report(...Array(1_001).fill({ type: 'bounce', email: ada })))[0]).toBe(400);
});

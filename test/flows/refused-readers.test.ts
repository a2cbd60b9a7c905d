import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startMailingSite, startMailingWorker } from '../support/mailing-site.ts';
import { type RelayScript, startMisbehavingRelay } from '../support/misbehaving-relay.ts';
import { sentMailing } from '../support/sent-mailing.ts';

// Immediate refusals of a reader by the mail server, and their effect on the subscription.

const ada = 'ada@example.com';

/** Sends a post to a reader whose server gives this answer, until the mailing ends. */
async function mailTo(script: RelayScript, before: Parameters<typeof sentMailing>[2][] = []) {
  await using site = await startMailingSite();
  await using relay = await startMisbehavingRelay(() => script);
  await site.subscribe([ada]);
  for (const about of before) await sentMailing(site, [ada], about);
  const key = await site.seed.key({ siteId: site.siteId });
  const { body } = await site.post('/api/v1/posts', { key, body: { title: 'News', content: 'Hello.' } });
  await using _worker = await startMailingWorker(site, relay.url);
  const id = await site.mail((body as { id: string }).id);
  await eventually(async () => {
    const { status, retrying, pause_reason } = await site.figures(id);
    if (pause_reason) throw new Error(`it stopped: ${pause_reason}`);
    if (retrying) await site.passTime();
    return status === 'sent';
  });
  const found = await site.counts(id);
  expect(found?.counted).toEqual(found?.are);
  const [reader] = await site.run<{ status: string; soft_bounces: number }>(
    'select status, soft_bounces from subscribers',
  );
  const suppressions = await site.run<{ reason: string }>('select reason from suppressions');
  return [reader?.status, reader?.soft_bounces, suppressions.map(({ reason }) => reason)];
}

test.for(['550 5.1.1 nobody', '550 5.1.10 nobody', '550 5.2.1 disabled'])(
  'a reader whose server answers %s is bounced and suppressed immediately',
  async (rcpt) => {
    expect(await mailTo({ rcpt })).toEqual(['bounced', 0, ['bounced']]);
  },
);

test.for(['550 5.7.1 spam', '550 5.7.26 unauthenticated', '550 5.1.8 no such sender'])(
  'a refusal of the email itself, %s, does not affect the reader, even in two mailings in a row',
  async (dot) => {
    expect(await mailTo({ dot }, [{ daysAgo: 7, state: 'refused', status: '5.7.1' }])).toEqual([
      'active',
      0,
      [],
    ]);
  },
);

test('another refusal affects the reader only if it occurs in two mailings in a row', async () => {
  const full = { rcpt: '552 5.2.2 full' };
  expect(await mailTo(full)).toEqual(['active', 0, []]);
  const refused = { state: 'refused' as const, status: '5.2.2' };
  expect(await mailTo(full, [{ ...refused, daysAgo: 9 }, { daysAgo: 2 }])).toEqual(['active', 0, []]);
  expect(await mailTo(full, [{ daysAgo: 9 }, { ...refused, daysAgo: 2 }])).toEqual([
    'bounced',
    0,
    ['bounced'],
  ]);
});

test('an email that is postponed until it is given up counts as one delay, and a lost connection does not count', async () => {
  expect(await mailTo({ rcpt: '450 4.2.2 full for now' })).toEqual(['active', 1, []]);
  expect(await mailTo({ rcpt: 'drop' })).toEqual(['active', 0, []]);
});

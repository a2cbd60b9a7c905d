import { expect, test } from 'vitest';
import { startApp, tiersOff } from '../support/app.ts';
import { startMailServer } from '../support/mail-server.ts';
import { ownerClient, refusal, visitorClient } from '../support/rpc.ts';

// Public calls count in Normal, calls about sign-in codes in Strict, the studio in its own tier.

const email = 'grace@example.com';
const limited = { code: 'rate_limited', message: 'too many requests' };

async function startLimitedSite() {
  const app = await startApp({ limits: {}, config: { trustProxy: ['127.0.0.1/32'] } });
  const token = await app.seed.ownerToken();
  return {
    ...app,
    from: (address: string) => visitorClient(app.baseUrl, { 'x-forwarded-for': address }).site,
    studio: ownerClient(app.baseUrl, token).studio,
  };
}

const times = async (count: number, call: () => Promise<unknown>) => {
  for (let n = 0; n < count; n++) await call();
};

test('with all tiers off, confirmations and invitations are still limited by email address and site', async () => {
  await using mail = await startMailServer();
  await using app = await startApp({ limits: tiersOff, smtpUrl: mail.url });
  const siteId = await app.seed.ownSite();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
  const { newsletter } = visitorClient(app.baseUrl).site;
  const confirmations = async () =>
    (
      await app.deps.database.em.execute(
        `select from graphile_worker._private_jobs j join subscribers s on s.id = j.payload ->> 'subscriber_id'
         where j.payload ->> 'asked_at' is not null`,
      )
    ).length;
  const mailbox = (n: number) => newsletter.subscribe.mutate({ email: `grace+${n}@example.com` });
  for (let n = 0; n < 5; n++) await mailbox(n);
  expect(await confirmations()).toBe(3);
  for (let n = 0; n < 70; n++) await newsletter.subscribe.mutate({ email: `reader${n}@example.com` });
  expect(await confirmations()).toBe(60);
  app.clock.advance({ hours: 1 });
  await newsletter.subscribe.mutate({ email: 'later@example.com' });
  expect(await confirmations()).toBe(61);

  const invite = (address: string) => studio.people.invite.mutate({ email: address, role: 'editor' });
  await times(5, () => invite(email));
  expect(await refusal(invite(email))).toEqual(limited);
  for (let n = 5; n < 60; n++) await app.deps.limiter.take('invitations_site', siteId);
  expect(await refusal(invite('ada@example.com'))).toEqual(limited);
});

test('public calls count together in Normal, by client address', async () => {
  await using app = await startLimitedSite();
  const { newsletter, testimonials, analytics } = app.from('203.0.113.5');
  await times(4, () => analytics.track.mutate({ path: '/' }));
  await times(3, () => newsletter.subscribe.mutate({ email }));
  await times(3, () => testimonials.submit.mutate({ name: 'Grace', email, content: 'Good' }));
  expect(await refusal(newsletter.subscribe.mutate({ email: 'late@example.com' }))).toEqual(limited);
  expect(await refusal(analytics.track.mutate({ path: '/' }))).toEqual(limited);
  expect(await app.from('203.0.113.6').analytics.track.mutate({ path: '/' })).toEqual({});
  expect(await app.studio.subscribers.list.query()).toMatchObject({ total: 1 });
});

test('calls about sign-in codes count together in Strict, by client address, whichever email they are for', async () => {
  await using app = await startLimitedSite();
  const { members, analytics } = app.from('203.0.113.5');
  await members.requestCode.mutate({ email });
  await refusal(members.signIn.mutate({ email, code: '123456' }));
  await refusal(members.signIn.mutate({ email: 'ada@example.com', code: '123456' }));
  expect(await refusal(members.signIn.mutate({ email, code: '123456' }))).toEqual(limited);
  expect(await refusal(members.requestCode.mutate({ email }))).toEqual(limited);
  expect(await analytics.track.mutate({ path: '/' })).toEqual({});
  app.clock.advance({ seconds: 12 });
  expect(await members.requestCode.mutate({ email })).toEqual({});
});

test('codes for one email address are limited across clients, and refused requests count for the client', async () => {
  await using app = await startLimitedSite();
  const request = (address: string, mailbox = email) =>
    app.from(address).members.requestCode.mutate({ email: mailbox });
  for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) await request(address);
  expect(await refusal(request('203.0.113.4'))).toEqual(limited);
  expect(await refusal(request('203.0.113.4', 'Grace@Example.com'))).toEqual(limited);
  await request('203.0.113.4', 'ada@example.com');
  expect(await refusal(request('203.0.113.4', 'ada@example.com'))).toEqual(limited);
  app.clock.advance({ seconds: 12 });
  expect(await request('203.0.113.5')).toEqual({});
});

test('the studio counts in its own tier', async () => {
  await using app = await startLimitedSite();
  await times(100, () => app.studio.site.get.query());
  expect(await refusal(app.studio.posts.list.query())).toEqual(limited);
  expect(await visitorClient(app.baseUrl).site.newsletter.subscribe.mutate({ email })).toEqual({});
  app.clock.advance({ ms: 100 });
  expect((await app.studio.posts.list.query()).total).toBe(0);
});

import { expect, test } from 'vitest';
import { createMailTransport } from '../../shared/mail/mailer.ts';
import { getMailKey, suppressionHash } from '../../shared/newsletter/mail-key.ts';
import { unsubscribeToken } from '../../shared/newsletter/mail-tokens.ts';
import { startApp, type TestAppOptions } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { captureLog } from '../support/log.ts';
import { startMailServer } from '../support/mail-server.ts';
import { visitorClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';
import { startTestWorker } from '../support/worker.ts';

// With a mail server, only people who confirmed by email receive a newsletter.

const email = 'grace@example.com';

async function startSite(options: Partial<TestAppOptions> = {}) {
  const mail = await startMailServer();
  const app = await startApp({ smtpUrl: mail.url, ...options });
  const siteId = await app.seed.ownSite();
  const { logger } = captureLog();
  const worker = await startTestWorker(app, {
    mail: createMailTransport(mail, 'site@example.com', logger),
    publicUrl: new URL(app.baseUrl),
  });
  const run = <Row>(text: string, values: unknown[] = []) =>
    app.deps.database.em.fork().execute<Row[]>(text, values);
  const visit = createVisitor(app.baseUrl);
  return {
    ...app,
    mail,
    siteId,
    run,
    visit,
    subscribe: (address = email) => visit('/newsletter', { form: { email: address, source: 'home' } }),
    /** Path of the confirmation link in the latest email, once `mails` have arrived. */
    linkOf: (mails: number) =>
      eventually(async () => {
        if (mail.mails.length < mails) return false;
        const text = mail.mails.at(-1)?.raw.replaceAll('=\r\n', '') ?? '';
        return /http:\/\/[^/]+(\/newsletter\/confirm\/\S+)/.exec(text)?.[1] ?? false;
      }),
    /** Pending jobs of the worker. */
    jobs: () => run('select id from graphile_worker._private_jobs'),
    statuses: async () =>
      (await run<{ status: string }>('select status from subscribers order by id')).map(
        ({ status }) => status,
      ),
    events: async () => (await run(`select id from events where name = 'newsletter.subscribe'`)).length,
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
      await mail.close();
    },
  };
}

/** Unsubscribes by the link of a newsletter. */
async function leave(site: Awaited<ReturnType<typeof startSite>>) {
  const [row] = await site.run<{ id: string }>('select id from subscribers where email = ?', [email]);
  const about = { siteId: site.siteId, subscriberId: row?.id ?? '', email };
  const token = unsubscribeToken(await getMailKey(site.deps, site.siteId), about);
  expect((await site.visit(`/newsletter/unsubscribe/${token}`, { form: {} })).status).toBe(200);
}

test('a new subscriber gets a confirmation email, and becomes active after pressing its button', async () => {
  await using site = await startSite();
  const sent = await site.subscribe();
  expect(sent.headers.location).toBe('/newsletter?sent=mail');
  expect((await site.visit('/newsletter?sent=mail')).text).toContain('Check your email');
  const link = await site.linkOf(1);
  expect(site.mail.mails[0]).toMatchObject({
    to: [email],
    raw: expect.stringContaining('Subject: Confirm your subscription to A site'),
  });
  const requested = await site.visit(link);
  expect([requested.status, requested.text]).toEqual([
    200,
    expect.stringContaining('<form method="post"><p><button type="submit">Subscribe</button>'),
  ]);
  expect([await site.statuses(), await site.events()]).toEqual([['pending'], 0]);
  const done = await site.visit(link, { form: {} });
  expect([done.status, done.text]).toEqual([200, expect.stringContaining('You are subscribed.')]);
  expect([await site.statuses(), await site.events()]).toEqual([['active'], 1]);
});

test('confirming twice shows the same page and records one event', async () => {
  await using site = await startSite();
  await site.subscribe();
  const link = await site.linkOf(1);
  const first = await site.visit(link, { form: {} });
  expect((await site.visit(link, { form: {} })).text).toBe(first.text);
  expect(await site.events()).toBe(1);
});

test('a person who unsubscribed by the link of a deleted row can subscribe again', async () => {
  await using site = await startSite();
  const again = async (mails: number) => {
    await site.subscribe();
    return site.visit(await site.linkOf(mails), { form: {} });
  };
  await again(1);
  const [row] = await site.run<{ id: string }>('select id from subscribers');
  const about = { siteId: site.siteId, subscriberId: row?.id ?? '', email };
  const token = unsubscribeToken(await getMailKey(site.deps, site.siteId), about);
  await site.run('delete from subscribers');
  site.clock.advance({ minutes: 11 });
  await again(2);
  await site.visit(`/newsletter/unsubscribe/${token}`, { form: {} });
  site.clock.advance({ minutes: 11 });
  await again(3);
  expect([await site.statuses(), await site.run('select reason from suppressions')]).toEqual([
    ['active'],
    [],
  ]);
});

test('a page of another origin cannot confirm for its visitor', async () => {
  await using site = await startSite();
  await site.subscribe();
  const link = await site.linkOf(1);
  for (const origin of ['https://evil.example', 'null']) {
    const { status } = await site.visit(link, { form: {}, headers: { origin } });
    expect([origin, status]).toEqual([origin, 403]);
  }
  expect(await site.statuses()).toEqual(['pending']);
});

test('a confirmation link works for exactly seven days', async () => {
  await using site = await startSite();
  await site.subscribe();
  const link = await site.linkOf(1);
  site.clock.advance({ seconds: 7 * 86_400 });
  expect((await site.visit(link)).status).toBe(200);
  site.clock.advance({ seconds: 1 });
  expect((await site.visit(link)).status).toBe(404);
  expect((await site.visit(link, { form: {} })).status).toBe(404);
  expect(await site.statuses()).toEqual(['pending']);
});

test('known and unknown addresses get the same response, and only new ones get an email', async () => {
  await using site = await startSite();
  const { newsletter } = visitorClient(site.baseUrl).site;
  await site.run(
    `insert into subscribers (site_id, id, email, name, source, status, soft_bounces, created)
     values (?, '000000000000001', 'active@example.com', '', '', 'active', 0, now()),
       (?, '000000000000002', 'complained@example.com', '', '', 'complained', 0, now())`,
    [site.siteId, site.siteId],
  );
  const hash = suppressionHash(await getMailKey(site.deps, site.siteId), 'gone@example.com');
  await site.run(
    `insert into suppressions (site_id, email_hash, reason, created) values (?, ?, 'complained', now())`,
    [site.siteId, hash],
  );
  for (const address of ['active', 'complained', 'gone', 'new'])
    expect(await newsletter.subscribe.mutate({ email: `${address}@example.com` })).toEqual({});
  await site.linkOf(1);
  await eventually(async () => (await site.jobs()).length === 0);
  expect(site.mail.mails.map(({ to }) => to)).toEqual([['new@example.com']]);
  expect(await site.statuses()).toEqual(['active', 'complained', 'pending']);
});

test('a person who unsubscribed returns only by a new confirmation, not by an earlier one', async () => {
  await using site = await startSite();
  await site.subscribe();
  const before = await site.linkOf(1);
  await site.visit(before, { form: {} });
  site.clock.advance({ seconds: 3_600 });
  await leave(site);
  expect((await site.visit(before, { form: {} })).status).toBe(404);
  expect(await site.statuses()).toEqual(['unsubscribed']);
  site.clock.advance({ seconds: 3_600 });
  await site.subscribe();
  const anew = await site.linkOf(2);
  expect(await site.statuses()).toEqual(['unsubscribed']);
  expect((await site.visit(anew, { form: {} })).status).toBe(200);
  expect([await site.statuses(), await site.run('select * from suppressions')]).toEqual([['active'], []]);
});

test('a confirmation link does not reactivate a person who complained after it was sent', async () => {
  await using site = await startSite();
  await site.subscribe();
  const link = await site.linkOf(1);
  await site.run(`update subscribers set status = 'complained'`);
  expect((await site.visit(link, { form: {} })).status).toBe(404);
  expect(await site.statuses()).toEqual(['complained']);
});

test('an address gets at most one confirmation email in ten minutes and three a day, from all clients together', async () => {
  await using site = await startSite({ limits: {}, config: { trustProxy: ['127.0.0.1/32'] } });
  const request = async (mails: number) => {
    const client = visitorClient(site.baseUrl, { 'x-forwarded-for': `203.0.113.${mails}` });
    expect(await client.site.newsletter.subscribe.mutate({ email })).toEqual({});
    await eventually(async () => (await site.jobs()).length === 0 && site.mail.mails.length >= mails);
    expect(site.mail.mails.length).toBe(mails);
  };
  await request(1);
  await request(1);
  site.clock.advance({ seconds: 600 });
  await request(2);
  site.clock.advance({ seconds: 600 });
  await request(3);
  site.clock.advance({ seconds: 3_600 });
  await request(3);
  site.clock.advance({ seconds: 86_400 });
  await request(4);
});

test('a mailbox gets at most ten confirmation emails a day from all sites together, whatever follows its plus sign', async () => {
  await using site = await startSite({ limits: {}, config: { trustProxy: ['127.0.0.1/32'] } });
  const request = async (n: number) => {
    const host = `site-${n}.example.com`;
    await site.seed.site({ custom_domain: host });
    const headers = { host, 'x-forwarded-for': `203.0.113.${n}` };
    const body = { json: { email: n % 2 === 0 ? email : `grace+${n}@example.com` } };
    expect((await site.post('/trpc/site.newsletter.subscribe', { headers, body })).status).toBe(200);
  };
  for (let n = 0; n < 12; n++) await request(n);
  expect((await site.statuses()).length).toBe(10);
  site.clock.advance({ seconds: 86_400 });
  await request(12);
  expect((await site.statuses()).length).toBe(11);
  await eventually(async () => site.mail.mails.length === 11 && (await site.jobs()).length === 0);
});

test('a site sends at most sixty confirmation emails an hour', async () => {
  await using site = await startSite({ limits: {}, config: { trustProxy: ['127.0.0.1/32'] } });
  const request = (n: number) =>
    visitorClient(site.baseUrl, { 'x-forwarded-for': `203.0.113.${n}` }).site.newsletter.subscribe.mutate({
      email: `${n}@example.com`,
    });
  for (let n = 0; n < 62; n++) expect(await request(n)).toEqual({});
  expect((await site.statuses()).length).toBe(60);
  site.clock.advance({ seconds: 3_600 });
  await request(63);
  expect((await site.statuses()).length).toBe(61);
  await eventually(async () => site.mail.mails.length === 61 && (await site.jobs()).length === 0);
});

test('requests above the limit of a site do not count for the address', async () => {
  await using site = await startSite({ limits: {}, config: { trustProxy: ['127.0.0.1/32'] } });
  const request = (n: number, address: string) =>
    visitorClient(site.baseUrl, { 'x-forwarded-for': `203.0.113.${n}` }).site.newsletter.subscribe.mutate({
      email: address,
    });
  for (let n = 0; n < 60; n++) await request(n, `${n}@example.com`);
  for (let n = 60; n < 64; n++) {
    await request(n, email);
    site.clock.advance({ seconds: 660 });
  }
  expect((await site.statuses()).length).toBe(60);
  site.clock.advance({ seconds: 3_600 });
  await request(64, email);
  expect((await site.statuses()).length).toBe(61);
});

test('without a mail server, a new subscriber is active immediately', async () => {
  await using app = await startApp();
  await app.seed.ownSite();
  const visit = createVisitor(app.baseUrl);
  const sent = await visit('/newsletter', { form: { email, source: 'home' } });
  expect(sent.headers.location).toBe('/newsletter?sent=1');
  expect(await app.deps.database.em.fork().execute('select status from subscribers')).toEqual([
    { status: 'active' },
  ]);
});

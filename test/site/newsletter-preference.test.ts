import { expect, test } from 'vitest';
import { getMailKey, suppressionHash } from '../../shared/newsletter/mail-key.ts';
import { startApp } from '../support/app.ts';
import { startMailServer } from '../support/mail-server.ts';
import { refusal, visitorClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

// Members see on their account page whether they receive the newsletter, and change it with one press.

const email = 'grace@example.com';

async function signIn() {
  const mail = await startMailServer();
  const app = await startApp({ smtpUrl: mail.url });
  const siteId = await app.seed.ownSite();
  const visit = createVisitor(app.baseUrl);
  await visit('/sign-in', { form: { email } });
  await visit('/sign-in', { form: { email, code: mail.codeFor(email) } });
  const run = <Row>(text: string, values: unknown[] = []) =>
    app.deps.database.em.fork().execute<Row[]>(text, values);
  return {
    ...app,
    visit,
    siteId,
    mail,
    run,
    press: (receives: string) => visit('/account', { form: { receives } }),
    async shows() {
      const { text } = await visit('/account');
      return ['You receive the newsletter', 'You don’t receive', 'You reported the newsletter'].filter(
        (words) => text.includes(words),
      );
    },
    people: () =>
      run<object>('select email, source, status, confirmed_at is not null as has_confirmed from subscribers'),
    events: async () =>
      (await run<{ name: string }>(`select name from events where name like 'newsletter.%'`)).length,
    suppressions: async () =>
      (await run<{ reason: string }>('select reason from suppressions')).map(({ reason }) => reason),
    suppress: async (reason: string) =>
      run('insert into suppressions (site_id, email_hash, reason, created) values (?, ?, ?, now())', [
        siteId,
        suppressionHash(await getMailKey(app.deps, siteId), email),
        reason,
      ]),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await mail.close();
    },
  };
}

const reader = (status: string, source = 'account') => [{ email, source, status, has_confirmed: true }];

test('a member subscribes and unsubscribes with one press, without an email, any number of times', async () => {
  await using site = await signIn();
  expect([await site.shows(), await site.people()]).toEqual([['You don’t receive'], []]);
  const requested = site.mail.mails.length;
  for (const round of [1, 2]) {
    const pressed = await Promise.all([site.press('yes'), site.press('yes')]);
    expect(pressed.map(({ status, headers }) => [status, headers.location])).toEqual([
      [303, '/account'],
      [303, '/account'],
    ]);
    expect([await site.shows(), await site.people()]).toEqual([
      ['You receive the newsletter'],
      reader('active'),
    ]);
    expect([await site.events(), await site.suppressions()]).toEqual([round, []]);
    await site.press('no');
    await site.press('no');
    expect([await site.shows(), await site.suppressions()]).toEqual([
      ['You don’t receive'],
      ['unsubscribed'],
    ]);
    expect(await site.people()).toMatchObject([{ status: 'unsubscribed' }]);
  }
  expect(site.mail.mails.length).toBe(requested);
});

test('a bounced or unsubscribed member can subscribe again, one who complained cannot', async () => {
  await using site = await signIn();
  for (const reason of ['bounced', 'unsubscribed']) {
    await site.run('delete from subscribers');
    await site.suppress(reason);
    expect(await site.shows()).toEqual(['You don’t receive']);
    await site.press('yes');
    expect([await site.shows(), await site.suppressions()]).toEqual([['You receive the newsletter'], []]);
  }
  await site.suppress('complained');
  expect(await site.shows()).toEqual(['You reported the newsletter']);
  expect((await site.press('yes')).headers.location).toBe('/account');
  expect([await site.shows(), await site.suppressions()]).toEqual([
    ['You reported the newsletter'],
    ['complained'],
  ]);
  await site.run('delete from subscribers');
  await site.press('yes');
  expect([await site.people(), await site.suppressions()]).toEqual([[], ['complained']]);
});

test('a preference cannot be changed without a session or from another origin', async () => {
  await using site = await signIn();
  const stranger = createVisitor(site.baseUrl);
  expect((await stranger('/account', { form: { receives: 'yes' } })).headers.location).toBe('/account');
  expect((await stranger('/account')).headers.location).toBe('/sign-in');
  const foreign = await site.visit('/account', {
    form: { receives: 'yes' },
    headers: { origin: 'https://evil.example' },
  });
  expect(foreign.status).toBe(403);
  const { newsletter } = visitorClient(site.baseUrl).site;
  const unauthorized = { code: 'unauthorized', message: 'missing, invalid or expired X-Member-Token' };
  expect(await refusal(newsletter.preference.query())).toEqual(unauthorized);
  expect(await refusal(newsletter.prefer.mutate({ receives: true }))).toEqual(unauthorized);
  expect(await site.people()).toEqual([]);
});

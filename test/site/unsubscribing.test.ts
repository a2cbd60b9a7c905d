import { expect, test } from 'vitest';
import { getMailKey, suppressionHash } from '../../shared/newsletter/mail-key.ts';
import { unsubscribeToken } from '../../shared/newsletter/mail-tokens.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { startMailingSite } from '../support/mailing-site.ts';
import { createVisitor } from '../support/visitor.ts';

// Unsubscribing by the link in a newsletter.

const email = 'grace@example.com';

async function startSite() {
  const site = await startMailingSite();
  await site.subscribe([email]);
  return Object.assign(site, {
    visit: createVisitor(site.baseUrl),
    path: await pathFor(site, site.siteId),
    statuses: async () =>
      (await site.run<{ status: string }>('select status from subscribers order by id')).map(
        ({ status }) => status,
      ),
    suppressions: () =>
      site.run<{ reason: string; email_hash: string }>('select reason, email_hash from suppressions'),
  });
}

/** Path of the unsubscribe link of a newsletter. */
async function pathFor(app: TestApp, siteId: string) {
  const key = await getMailKey(app.deps, siteId);
  const [row] = await app.deps.database.em
    .fork()
    .execute<{ id: string }[]>('select id from subscribers where site_id = ? and email = ?', [siteId, email]);
  const token = unsubscribeToken(key, { siteId, subscriberId: row?.id ?? '', email });
  return `/newsletter/unsubscribe/${token}`;
}

test('opening the unsubscribe link shows a button and changes nothing', async () => {
  await using site = await startSite();
  const { status, text, headers } = await site.visit(site.path);
  expect([status, headers['cache-control'], headers['referrer-policy']]).toEqual([
    200,
    'no-store',
    'no-referrer',
  ]);
  expect(text).toContain('<form method="post"><p><button type="submit">Unsubscribe</button>');
  expect(text).not.toContain(email);
  await site.visit(site.path, { method: 'HEAD' });
  expect([await site.statuses(), await site.suppressions()]).toEqual([['active'], []]);
});

test('pressing the button unsubscribes, and pressing it twice shows the same page', async () => {
  await using site = await startSite();
  const first = await site.visit(site.path, { form: {} });
  const suppressions = await site.suppressions();
  expect([first.status, first.text]).toEqual([200, expect.stringContaining('You are unsubscribed.')]);
  expect(await site.statuses()).toEqual(['unsubscribed']);
  expect(suppressions).toEqual([
    {
      reason: 'unsubscribed',
      email_hash: suppressionHash(await getMailKey(site.deps, site.siteId), email),
    },
  ]);
  expect((await site.visit(site.path, { form: {} })).text).toBe(first.text);
  expect(await site.suppressions()).toEqual(suppressions);
});

const typesOfForms: [type: string, body: string][] = [
  ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
  [
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
  ],
];

test.for(typesOfForms)(
  'an email program unsubscribes its reader by a form of %s, from any origin and without a cookie',
  async ([type, body]) => {
    await using site = await startSite();
    const { status } = await fetch(site.baseUrl + site.path, {
      method: 'POST',
      headers: { 'content-type': type, origin: 'https://mail.example.net' },
      body,
    });
    expect([status, await site.statuses()]).toEqual([200, ['unsubscribed']]);
  },
);

test('a form longer than any of an email program is refused', async () => {
  await using site = await startSite();
  expect((await site.visit(site.path, { form: { a: 'x'.repeat(5_000) } })).status).toBe(413);
  expect(await site.statuses()).toEqual(['active']);
});

test('a link works after its subscriber was deleted, and the address stays suppressed', async () => {
  await using site = await startSite();
  await site.run('delete from subscribers');
  expect((await site.visit(site.path, { form: {} })).status).toBe(200);
  const again = await site.visit('/newsletter', { form: { email: 'Grace@Example.com', source: 'home' } });
  expect([again.status, again.headers.location]).toEqual([303, '/newsletter?sent=1']);
  expect(await site.statuses()).toEqual([]);
  await site.visit('/newsletter', { form: { email: 'ada@example.com', source: 'home' } });
  expect(await site.statuses()).toEqual(['active']);
});

test('a complaint is not replaced by an unsubscription', async () => {
  await using site = await startSite();
  await site.visit(site.path, { form: {} });
  await site.run(`update subscribers set status = 'complained'`);
  await site.run(`update suppressions set reason = 'complained'`);
  await site.visit(site.path, { form: {} });
  expect([await site.statuses(), await site.suppressions()]).toMatchObject([
    ['complained'],
    [{ reason: 'complained' }],
  ]);
});

test("a link works on any host, in the site's layout on its own host and on a plain page elsewhere", async () => {
  await using site = await startSite();
  const own = await site.visit(site.path);
  expect(own.text).toContain('<header class="top">');
  await site.seed.site({ custom_domain: 'other.example.com' });
  await site.run(`update sites set language = 'de' where id = ?`, [site.siteId]);
  for (const host of ['other.example.com', 'nobody.example.net']) {
    const { status, text } = await createVisitor(site.baseUrl, host)(site.path);
    expect([status, text]).toEqual([200, expect.stringContaining('<html lang="de">')]);
    expect(text).toContain('Newsletter abbestellen?');
    expect(text).not.toContain('href="/"');
  }
  await createVisitor(site.baseUrl, 'other.example.com')(site.path, { form: {} });
  expect(await site.statuses()).toEqual(['unsubscribed']);
});

test('an invalid link is not found, and changes nothing', async () => {
  await using site = await startSite();
  const other = await site.seed.site({ subdomain: 'other' });
  const links = [
    '/newsletter/unsubscribe/nonsense',
    `/newsletter/unsubscribe/${'x'.repeat(300)}`,
    `${site.path.slice(0, -1)}${site.path.endsWith('A') ? 'B' : 'A'}`,
    site.path.replace(site.siteId, other),
    site.path.replace(site.siteId, '000000000000000'),
  ];
  for (const link of links)
    for (const options of [{}, { form: {} }]) {
      const { status, text } = await site.visit(link, options);
      expect([link, status, text]).toEqual([link, 404, expect.stringContaining('Page not found')]);
    }
  expect([await site.statuses(), await site.suppressions()]).toEqual([['active'], []]);
});

test('unsubscribing is limited per link, not per client address, because email programs unsubscribe for many readers', async () => {
  await using app = await startApp({ limits: {} });
  const siteId = await app.seed.ownSite();
  const visit = createVisitor(app.baseUrl);
  const key = await getMailKey(app.deps, siteId);
  const unsubscribe = (reader: number) => {
    const token = unsubscribeToken(key, {
      siteId,
      subscriberId: String(reader).padStart(15, '0'),
      email: `${reader}@example.com`,
    });
    return visit(`/newsletter/unsubscribe/${token}`, { form: {} });
  };
  for (let reader = 0; reader < 110; reader++) expect((await unsubscribe(reader)).status).toBe(200);
  const statuses = [];
  for (let n = 0; n < 11; n++) statuses.push((await unsubscribe(0)).status);
  expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
  expect((await unsubscribe(1)).status).toBe(200);
});

test.for([
  ['of another type', { 'content-type': 'application/json' }, '{}', 400],
  ['that is too long', { 'content-type': 'application/x-www-form-urlencoded' }, 'a'.repeat(5_000), 413],
] as const)('a body %s is refused, and counts for the client address', async ([, headers, body, status]) => {
  await using app = await startApp({ limits: {} });
  await app.seed.ownSite();
  const statuses = [];
  for (let n = 0; n < 101; n++)
    statuses.push(
      (await fetch(`${app.baseUrl}/newsletter/unsubscribe/x`, { method: 'POST', headers, body })).status,
    );
  expect([statuses[0], statuses[99], statuses[100]]).toEqual([status, status, 429]);
});

test('a token above the maximum length counts for the client address', async () => {
  await using app = await startApp({ limits: {} });
  await app.seed.ownSite();
  const visit = createVisitor(app.baseUrl);
  const statuses = [];
  for (let n = 0; n < 101; n++)
    statuses.push((await visit(`/newsletter/unsubscribe/${'x'.repeat(201)}`, { form: {} })).status);
  expect([statuses[0], statuses[99], statuses[100]]).toEqual([404, 404, 429]);
});

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newRecordId } from '../../shared/contract/record-id.ts';
import { openMailRoute } from '../../shared/mail/mail-route.ts';
import { createMailTransport } from '../../shared/mail/mailer.ts';
import type { MailAbout } from '../../shared/mail/outbox.ts';
import { openMailings } from '../../worker/newsletters/open-mailings.ts';
import { startApp } from '../support/app.ts';
import { runOps } from '../support/backups.ts';
import { eventually } from '../support/eventually.ts';
import { failure } from '../support/http.ts';
import { captureLog } from '../support/log.ts';
import { startMailingSite, until } from '../support/mailing-site.ts';
import { makeOutbox, newsletterTo } from '../support/outbox.ts';
import { ownerClient, refusal, visitorClient } from '../support/rpc.ts';
import { startTestWorker } from '../support/worker.ts';

// Development without a mail server: emails are stored in the outbox (docs/operate/mail.md#outbox).

const cleanUp = new AsyncDisposableStack();
afterAll(() => cleanUp.disposeAsync());

/** Starts a site with an outbox, and signs in its owner. */
async function startSite() {
  const outbox = cleanUp.use(await makeOutbox());
  const app = cleanUp.use(await startMailingSite({ outbox }));
  const { logger } = captureLog();
  const PUBLIC_URL = app.deps.config.publicUrl;
  cleanUp.use(
    await startTestWorker(app, {
      mail: createMailTransport(outbox, 'no-reply@example.com', logger),
      mailings: openMailings(
        { SMTP_CONNECTIONS: 5, PUBLIC_URL, NODE_ENV: 'test' },
        { ...app.deps, route: outbox, logger },
      ),
      publicUrl: PUBLIC_URL,
    }),
  );
  const owner = await app.seed.owner();
  const { token } = (await app.post('/api/admin/session', { body: owner })).body as { token: string };
  const { studio } = ownerClient(app.baseUrl, token);
  await studio.site.update.mutate({ subdomain: 'own' });
  return { outbox, app, owner, studio, siteId: app.siteId };
}

const site = await startSite();
const { outbox, app, studio, siteId } = site;

/** Stores a newsletter, or another kind of email, with this subject. */
const keep = (about: Partial<MailAbout> = {}, subject = 'Kept') =>
  outbox.keep({ kind: 'newsletter', siteId, ...about }, newsletterTo('grace@example.com', subject));

const idOf = (file: string) => /(\w{15})\.\w+\.\w{15}\.eml$/.exec(file)?.[1] ?? '';

const notFound = { code: 'not_found', message: 'not found' };

test('owners can read newsletters and confirmations of their site, but no email that grants access, and none of another site', async () => {
  const other = await app.seed.site({ subdomain: 'other' });
  const { studio: theirs } = ownerClient(app.baseUrl, await app.seed.ownerToken(other));
  const own = [await keep({}, 'First'), await keep({ kind: 'confirmation' }, 'Second')].map(idOf);
  const secret = [
    await keep({ kind: 'code' }),
    await keep({ kind: 'reset' }),
    await keep({ kind: 'invitation' }),
    await keep({ kind: 'notice' }),
  ].map(idOf);
  const foreign = idOf(await keep({ siteId: other }, 'Theirs'));

  const list = await studio.outbox.list.query({ per_page: 2 });
  const about = { to: 'grace@example.com', created: expect.any(Date) };
  expect(list).toEqual({
    items: [
      { id: own[1], kind: 'confirmation', subject: 'Second', ...about },
      { id: own[0], kind: 'newsletter', subject: 'First', ...about },
    ],
    page: 1,
    per_page: 2,
    total: 2,
    enabled: true,
  });
  expect(await studio.outbox.list.query({ page: 2, per_page: 1 })).toMatchObject({
    items: [{ id: own[0] }],
    total: 2,
  });
  expect(await studio.outbox.get.query({ id: own[0] ?? '' })).toEqual({
    id: own[0],
    kind: 'newsletter',
    subject: 'First',
    ...about,
    from: 'Ada Marsh <no-reply@example.com>',
    html: expect.stringContaining('<p style="color:#0b57d0">In short.</p>'),
    text: expect.stringContaining('In short: https://'),
  });
  for (const id of [...secret, foreign])
    expect(await refusal(studio.outbox.get.query({ id }))).toEqual(notFound);
  expect((await theirs.outbox.list.query()).items.map(({ id }) => id)).toEqual([foreign]);
  for (const id of [...own, ...secret])
    expect(await refusal(theirs.outbox.get.query({ id }))).toEqual(notFound);
});

test('the outbox ignores foreign files and links, and no id can leave its folder', async () => {
  const before = (await studio.outbox.list.query()).total;
  const raw = newsletterTo('grace@example.com', 'Not ours');
  const id = newRecordId(new Date(), randomBytes);
  const secret = join(dirname(outbox.folder), 'secret');
  await writeFile(secret, raw);
  const names = [
    `${id}.newsletter.${siteId}.eml.part`,
    `${id}.newsletter.${siteId}.x.eml`,
    `${id}.NEWSLETTER.${siteId}.eml`,
    `${id}.newsletter.${siteId}`,
    `${id.toUpperCase()}.newsletter.${siteId}.eml`,
    `${id}x.newsletter.${siteId}.eml`,
    `${id}.newsletter..eml`,
    `${id}.newsletter.${siteId}\n.eml`,
    '.eml',
  ];
  for (const name of names) await writeFile(join(outbox.folder, name), raw);
  expect(await studio.outbox.list.query()).toMatchObject({ total: before });

  const [link, folder] = [newRecordId(new Date(), randomBytes), newRecordId(new Date(), randomBytes)];
  await symlink(secret, join(outbox.folder, `${link}.newsletter.${siteId}.eml`));
  await mkdir(join(outbox.folder, `${folder}.newsletter.${siteId}.eml`));
  expect(JSON.stringify(await studio.outbox.list.query())).not.toContain('Not ours');
  const ids = [link, folder, id, '../secret', '..', '', `../outbox/${id}`, '/etc/passwd', '%2e%2e%2fsecret'];
  for (const hostile of ids)
    expect(await refusal(studio.outbox.get.query({ id: hostile }))).toEqual(notFound);
});

test('a damaged file in the outbox does not prevent reading the others', async () => {
  const nested = `Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n`;
  const damaged = [
    Buffer.alloc(0),
    randomBytes(5_000),
    Buffer.from(nested.repeat(50)),
    Buffer.from(`Subject: ${'x'.repeat(100_000)}`),
  ];
  for (const raw of damaged) await outbox.keep({ kind: 'newsletter', siteId }, raw);
  const whole = idOf(await keep({}, 'Whole'));
  const { items } = await studio.outbox.list.query();
  expect(items[0]).toMatchObject({ id: whole, subject: 'Whole' });
  const answers = (await outbox.list()).slice(1, 5).map(({ id }) => studio.outbox.get.query({ id }));
  for (const answer of await Promise.allSettled(answers))
    if (answer.status === 'rejected') expect(answer.reason.data).toMatchObject({ code: 'not_found' });
});

test('files of the outbox are written completely, readable only by this user, and limited to the newest thousand', async () => {
  await using full = await makeOutbox();
  const about = { kind: 'newsletter', siteId } as const;
  const first = await full.keep(about, newsletterTo('grace@example.com'));
  expect([(await stat(first)).mode & 0o777, (await stat(full.folder)).mode & 0o777]).toEqual([0o600, 0o700]);
  for (let n = 0; n < 1_000; n++) {
    const id = newRecordId(new Date(Date.now() - 1_000_000 - n), randomBytes);
    await writeFile(
      join(full.folder, `${id}.code.${siteId}.eml${n % 100 === 0 ? '.part' : ''}`),
      'Subject: old',
    );
  }
  await writeFile(join(full.folder, 'notes.txt'), 'of somebody else');
  await Promise.all(Array.from({ length: 20 }, () => full.keep(about, newsletterTo('ada@example.com'))));
  const names = await readdir(full.folder);
  expect(names).toHaveLength(1_001);
  expect(names).toContain('notes.txt');
  const kept = await full.list();
  expect(kept.filter(({ kind }) => kind === 'newsletter')).toHaveLength(21);
  expect(kept.map(({ id }) => id)).toEqual(
    kept
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  );
});

test('the outbox receives each email of a mailing once, and test emails', async () => {
  const readers = Array.from({ length: 40 }, (_, n) => `reader${n}@example.com`);
  await app.subscribe(readers);
  const { id: post_id } = await studio.posts.create.mutate({ title: 'News', content: 'Hello' });
  const earlier = new Set((await outbox.list()).map(({ id }) => id));
  const { id } = await studio.mailings.create.mutate({ post_id });
  expect(await until(app, id, ({ status }) => status === 'sent')).toMatchObject({ accepted: 40 });

  const { items, total } = await studio.outbox.list.query({ per_page: 200 });
  const copies = items.filter((mail) => !earlier.has(mail.id));
  expect(copies.map(({ to }) => to).toSorted()).toEqual(readers.toSorted());
  expect(new Set(copies.map(({ kind, subject }) => `${kind} ${subject}`))).toEqual(
    new Set(['newsletter News']),
  );
  const mail = await studio.outbox.get.query({ id: copies[0]?.id ?? '' });
  expect(mail.html).toContain('/newsletter/unsubscribe/');
  expect(mail.text).toContain('Hello');

  const to = ['ada@example.com'];
  expect(await studio.mailings.test.mutate({ post_id, to })).toEqual({
    results: [{ to: to[0], accepted: true, reply: null }],
  });
  const latest = await studio.outbox.list.query({ per_page: 1 });
  expect(latest).toMatchObject({ total: total + 1, items: [{ to: to[0] }] });
});

test('with an outbox subscribers confirm only if the owner requires it, and confirmations are shown, but no codes or password links', async () => {
  const { newsletter, members } = visitorClient(app.baseUrl, { host: 'own.localhost' }).site;
  const statusOf = async (email: string) =>
    (await app.run<{ status: string }>('select status from subscribers where email = ?', [email]))[0]?.status;
  await newsletter.subscribe.mutate({ email: 'unasked@example.com' });
  await studio.subscribers.create.mutate({ email: 'added@example.com' });
  expect([await statusOf('unasked@example.com'), await statusOf('added@example.com')]).toEqual([
    'active',
    'active',
  ]);

  const before = (await studio.outbox.list.query()).total;
  await studio.site.update.mutate({ newsletter: { confirm: true } });
  await members.requestCode.mutate({ email: 'grace@example.com' });
  expect((await app.post('/api/admin/password-reset', { body: { email: site.owner.email } })).status).toBe(
    202,
  );
  await newsletter.subscribe.mutate({ email: 'asked@example.com' });
  await eventually(async () => {
    const kinds = (await outbox.list()).slice(0, 3).map(({ kind }) => kind);
    return kinds.toSorted().join() === 'code,confirmation,reset';
  });

  const { items, total } = await studio.outbox.list.query();
  expect([total, items[0]]).toMatchObject([before + 1, { kind: 'confirmation', to: 'asked@example.com' }]);
  const { html, text } = await studio.outbox.get.query({ id: items[0]?.id ?? '' });
  const [, token = ''] = /\/newsletter\/confirm\/(\S+)/.exec(text) ?? [];
  expect([html?.includes(token), await statusOf('asked@example.com')]).toEqual([true, 'pending']);
  await newsletter.confirm.mutate({ token });
  expect(await statusOf('asked@example.com')).toBe('active');

  const list = await ops('list');
  for (const kind of ['code', 'reset', 'confirmation', 'newsletter'])
    expect(list.output).toContain(` ${kind} `);
  const code = (await outbox.list()).find(({ kind }) => kind === 'code');
  const shown = await ops('show', code?.id ?? '');
  expect([shown.exitCode, shown.output]).toEqual([
    0,
    expect.stringMatching(/To: grace@example\.com\n[\s\S]*\b\d{6}\b/),
  ]);
  expect(await ops('show', '../secret')).toMatchObject({ exitCode: 1 });
});

/** Runs an operator's command on the outbox. */
const ops = (...command: string[]) =>
  runOps(['outbox', ...command], {
    dataDir: dirname(outbox.folder),
    mediaDir: join(dirname(outbox.folder), 'media'),
  });

test('with a mail server emails are sent; in production without one nothing is stored or sent', async () => {
  const SMTP_URL = 'smtp://mail.example.com';
  expect(openMailRoute({ NODE_ENV: 'development', SMTP_URL })).toEqual({ url: SMTP_URL, dkim: null });
  expect(openMailRoute({ NODE_ENV: 'production' })).toBeUndefined();
  await using bare = await startApp();
  const { studio: own } = ownerClient(bare.baseUrl, await bare.seed.ownerToken());
  expect(await own.outbox.list.query()).toEqual({
    items: [],
    page: 1,
    per_page: 50,
    total: 0,
    enabled: false,
  });
  expect(await refusal(own.outbox.get.query({ id: 'mb3k9x2a7f0q1zd' }))).toEqual(notFound);
  const { id: post_id } = await own.posts.create.mutate({ title: 'News' });
  const key = await bare.seed.key({ scopes: ['send:newsletter'] });
  expect(await bare.post('/api/v2/mailings', { key, body: { post_id } })).toMatchObject(
    failure(503, 'mail_not_configured'),
  );
});

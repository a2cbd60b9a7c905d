import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { makeInvitation } from '../../server/accounts/people/invitations.ts';
import { exportCsv } from '../../server/transfer/export-csv.ts';
import { importFile } from '../../server/transfer/import-file.ts';
import { csvLine } from '../../shared/contract/features/csv.ts';
import type { ImportedRecordReport } from '../../shared/contract/features/import-export.ts';
import { InviteStaffMember } from '../../shared/contract/features/people.ts';
import { startApp } from '../support/app.ts';
import { archiveOf, importBytes, rowsOf, temporaryFile } from '../support/archives.ts';
import { acceptedEmails } from '../support/email-table.ts';
import { failure } from '../support/http.ts';
import { actor } from '../support/imported-states.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startMailingSite, startMailingWorker, until, writerOf } from '../support/mailing-site.ts';
import { startMisbehavingRelay } from '../support/misbehaving-relay.ts';
import { ownerClient, visitorClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

// Tests docs/reference/email-addresses.md.

/** One mailbox, written in the forms that people type. */
const forms = ['r&d@münchen.de', 'R&D@MÜNCHEN.DE', 'r&d@xn--mnchen-3ya.de', 'R&d@XN--MNCHEN-3YA.de'] as const;
const stored = 'r&d@xn--mnchen-3ya.de';
/** The address as the test mail server shows it, which decodes A-labels. */
const shownByServer = 'r&d@münchen.de';

async function startSite() {
  const mail = await startMailServer();
  const app = await startApp({ smtpUrl: mail.url });
  const siteId = await app.seed.ownSite();
  const owner = await app.seed.person('owner');
  return {
    ...app,
    app,
    mail,
    siteId,
    owner,
    studio: ownerClient(app.baseUrl, owner.token).studio,
    visitor: visitorClient(app.baseUrl).site,
    visit: createVisitor(app.baseUrl),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await mail.close();
    },
  };
}

const stores = { stored: [...new Set(acceptedEmails.map(([, address]) => address))].sort() };

test('all forms of an address subscribe one mailbox over page, RPC and API, and the owner finds it by each form', async () => {
  await using site = await startSite();
  await site.studio.site.update.mutate({ newsletter: { confirm: false } });
  const key = await site.seed.key({ scopes: ['read:subscribers', 'write:subscribers'] });
  const [first, second, third, fourth] = forms;
  expect((await site.visit('/newsletter', { form: { email: first } })).status).toBe(303);
  await site.visitor.newsletter.subscribe.mutate({ email: second });
  await site.post('/api/v2/subscribers', { key, body: { email: third } });
  expect(await rowsOf(site.app, 'select email from subscribers')).toEqual([{ email: stored }]);
  const emails = ({ items }: { items: { email: string }[] }) => items.map(({ email }) => email);
  for (const email of forms)
    expect(emails(await site.studio.subscribers.list.query({ email }))).toEqual([stored]);
  for (const q of [first, fourth, 'münchen.de', 'd@MÜNCHEN.de', 'mnchen', 'r&d'])
    expect([q, emails(await site.studio.subscribers.list.query({ q }))]).toEqual([q, [stored]]);
  expect(emails(await site.studio.subscribers.list.query({ q: 'münster.de' }))).toEqual([]);
});

test('a purchase under one form of an address unlocks the post for a member who signs in with another', async () => {
  await using site = await startSite();
  const key = await site.seed.key({ scopes: ['read', 'read:members'] });
  const { id } = await site.studio.posts.create.mutate({
    title: 'Paid',
    content: 'The secret.',
    access_tier: 'paid',
  });
  const bought = { content_type: 'posts', content_id: id, amount: 5, currency: 'EUR' } as const;
  await site.studio.purchases.record.mutate({ buyer_email: forms[1], ...bought });
  await site.visitor.members.requestCode.mutate({ email: forms[0] });
  const code = site.mail.codeFor(shownByServer);
  const { token, member } = await site.visitor.members.signIn.mutate({ email: forms[3], code });
  expect(member.email).toBe(stored);
  const read = await site.get('/api/v1/posts/paid', { key, headers: { 'x-member-token': token } });
  expect(read.body).toMatchObject({ content: 'The secret.' });
  for (const email of forms) {
    const found = await site.get(`/api/v2/members?email=${encodeURIComponent(email)}`, { key });
    expect(found.body).toMatchObject({ items: [{ email: stored }], total: 1 });
  }
});

test('a person invited under one form of an address can sign in with the others', async () => {
  await using site = await startSite();
  await site.studio.people.invite.mutate({ email: forms[0], role: 'editor' });
  await site.studio.people.invite.mutate({ email: forms[2], role: 'editor' });
  const invited = (await site.studio.people.list.query()).data.filter(({ state }) => state === 'invited');
  expect(invited.map(({ email }) => email)).toEqual([stored]);
  const invitation = InviteStaffMember.parse({ email: forms[3], role: 'editor' });
  const { token } = await makeInvitation(site.deps, site.siteId, invitation);
  const password = 'staple battery horse';
  await site.post('/api/admin/invitations/accept', { body: { token, name: 'Grace', password } });
  for (const email of forms)
    expect((await site.post('/api/admin/session', { body: { email, password } })).status).toBe(201);
  for (const email of ['r&d@münster.de', '"r&d"@münchen.de', 'nobody'])
    expect(await site.post('/api/admin/session', { body: { email, password } })).toEqual(
      failure(401, 'unauthorized', 'wrong email address or password'),
    );
});

test.for([
  ['"a b"@example.com', 'must not have a quoted local part, such as "a b"@example.com: leave out the quotes'],
  [
    'jürgen@example.com',
    'must not have a non-ASCII local part: only the domain after the @ may have other characters',
  ],
  [
    'user@[192.0.2.1]',
    'must not have an address literal, such as [192.0.2.1]: use a domain name after the @',
  ],
])('%s is refused, and the message states the reason', async ([email, reason]) => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write:subscribers'] });
  const refused = failure(400, 'validation_failed', `email: ${reason}`);
  expect(await app.post('/api/v2/subscribers', { key, body: { email } })).toEqual(refused);
  expect(await app.post('/api/admin/password-reset', { body: { email } })).toEqual(refused);
});

test('lists and archives import each address once in its stored form, and an exported list imports the same again', async () => {
  await using app = await startApp();
  const bring = async (list: string | Buffer, siteId: string) => {
    const told: [title: string, outcome: string][] = [];
    await importFile(app.deps, await temporaryFile(list, 'list.csv'), {
      ...{ siteId, actor },
      onRecord: ({ title, outcome }: ImportedRecordReport) => told.push([title, outcome]),
    });
    return told;
  };
  const here = await app.seed.site();
  const rows = acceptedEmails.map(([email]) => csvLine([email, '=Name'])).join('');
  const told = await bring(`email,name\r\n${rows}${rows}`, here);
  expect(told.filter(([, outcome]) => outcome === 'created')).toHaveLength(stores.stored.length);
  expect(told.filter(([, outcome]) => outcome === 'refused')).toEqual([]);
  const subscribersAt = async (siteId: string) =>
    (
      await rowsOf<{ email: string }>(
        app,
        `select email from subscribers where site_id = '${siteId}' and name = '=Name' order by email collate "C"`,
      )
    ).map(({ email }) => email);
  expect(await subscribersAt(here)).toEqual(stores.stored);

  const to = new PassThrough();
  const [csv] = await Promise.all([buffer(to), exportCsv(app.deps, here, 'subscribers', to)]);
  expect(csv.toString()).not.toMatch(/(^|,)"[=+\-@]/m);
  const there = await app.seed.site();
  await bring(csv, there);
  expect(await subscribersAt(there)).toEqual(stores.stored);

  await using other = await startApp();
  const { siteId } = await importBytes(other, await archiveOf(app, here));
  const moved = await rowsOf<{ email: string }>(
    other,
    `select email from subscribers where site_id = '${siteId}' order by email collate "C"`,
  );
  expect(moved.map(({ email }) => email)).toEqual(stores.stored);
});

test('every valid address receives codes and newsletters over SMTP, and bounces in another form are matched to it', async () => {
  await using mail = await startMisbehavingRelay();
  await using site = await startMailingSite({ smtpUrl: mail.url });
  const { studio } = ownerClient(site.baseUrl, await site.seed.ownerToken(site.siteId));
  await studio.site.update.mutate({ newsletter: { confirm: false, reply_to: forms[0] } });
  const visitor = visitorClient(site.baseUrl).site;
  for (const [email] of acceptedEmails) {
    await visitor.newsletter.subscribe.mutate({ email });
    await visitor.members.requestCode.mutate({ email });
  }
  const headerOf = (raw: string, name: string) =>
    new RegExp(`^${name}: ?(.*(\r?\n[ \t].*)*)`, 'm')
      .exec(raw)?.[1]
      ?.replace(/\r?\n[ \t]+/g, '')
      .trim();
  expect(mail.taken.map(({ to }) => to)).toEqual(acceptedEmails.map(([, address]) => address));
  expect(mail.taken.map(({ raw }) => headerOf(raw, 'To'))).toEqual(
    acceptedEmails.map(([, address]) => address),
  );

  await using relay = await startMisbehavingRelay();
  await using _worker = await startMailingWorker(site, relay.url, { bounceDomain: 'bounces.example.com' });
  const id = await site.mail(await writerOf(studio)());
  const count = stores.stored.length;
  expect(await until(site, id, ({ status }) => status === 'sent')).toMatchObject({ accepted: count });
  expect(relay.taken.map(({ to }) => to).sort()).toEqual(stores.stored);
  for (const { to, from, raw } of relay.taken) {
    expect([headerOf(raw, 'To'), headerOf(raw, 'Reply-To')]).toEqual([`<${to}>`, `<${stored}>`]);
    expect(headerOf(raw, 'List-Unsubscribe')).toMatch(
      /^<https:\/\/example\.com\/newsletter\/unsubscribe\/[\w-]+>$/,
    );
    expect(from).toMatch(/^b-\w+@bounces\.example\.com$/);
  }

  const key = await site.seed.key({ siteId: site.siteId, scopes: ['write:newsletter', 'write:subscribers'] });
  site.clock.catchUp();
  const items = [{ email: 'user@почта.рф', type: 'complaint' }];
  expect((await site.post('/api/v2/mailings/feedback', { key, body: { items } })).body).toEqual({
    known: 1,
    unknown: 0,
  });
  const again = await site.post('/api/v2/subscribers', {
    key,
    body: { email: 'USER@xn--80a1acny.xn--p1ai' },
  });
  expect(again).toMatchObject({ status: 409, body: { error: { code: 'suppressed' } } });
});

test('pages link to an address as a single recipient, and show it as text', async () => {
  await using site = await startSite();
  const email = `A&B?c=d%40'+<e@münchen.de`.replace('<', '{');
  await site.studio.profile.update.mutate({ email });
  const shown = `a&amp;b?c=d%40&#39;+{e@xn--mnchen-3ya.de`;
  const href = `mailto:a%26b%3Fc%3Dd%2540&#39;%2B%7Be@xn--mnchen-3ya.de`;
  await site.studio.experience.create.mutate({ company: 'Northwind', title: 'CTO', start_date: '2020' });
  for (const path of ['/', '/cv', '/newsletter']) {
    const { text } = await site.visit(path);
    expect([path, text.match(/mailto:[^"]*/g)]).toEqual([path, [href]]);
    if (path !== '/') expect(text).toContain(`>${shown}</a>`);
  }
  await site.studio.posts.create.mutate({
    title: 'Write',
    content: 'To <r&d?x%y+z@example.com> or [us](mailto:us@example.com?subject=Hi).',
  });
  expect((await site.visit('/posts/write')).text).toContain(
    '<a href="mailto:r%26d%3Fx%25y%2Bz@example.com">r&amp;d?x%y+z@example.com</a> or <a href="mailto:us@example.com?subject=Hi">',
  );
});

import { expect, test } from 'vitest';
import { getMailKey, suppressionHash } from '../../shared/newsletter/mail-key.ts';
import { eventually } from '../support/eventually.ts';
import { captureLog } from '../support/log.ts';
import {
  isOver,
  ownerOf,
  sent,
  startMailingSite,
  startMailingWorker,
  until,
} from '../support/mailing-site.ts';
import { type RelayScript, startMisbehavingRelay } from '../support/misbehaving-relay.ts';
import { ownerClient } from '../support/rpc.ts';

// Recipients of a mailing, their bodies, and its order and speed.

test('each active subscriber gets one email, with plain text and unsubscribe headers', async () => {
  await using site = await startMailingSite();
  await using relay = await startMisbehavingRelay();
  const owner = await ownerOf(site);
  await site.subscribe(['ada@example.com', 'bob@example.com', 'gone@example.com']);
  await site.unsubscribe('gone@example.com');
  await using _worker = await startMailingWorker(site, relay.url);
  const id = await owner.mail(await owner.write(), { subject: 'Größe "A"' });
  expect(await until(site, id, isOver)).toEqual(sent(2));
  expect(relay.taken.map(({ to }) => to).sort()).toEqual(['ada@example.com', 'bob@example.com']);
  const [{ raw } = { raw: '' }] = relay.taken;
  const header = (name: string) => new RegExp(`^${name}: (.*(\n[ \t].*)*)`, 'm').exec(raw)?.[1];
  expect(header('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
  expect(header('List-Unsubscribe')).toMatch(
    /^<https:\/\/example.com\/newsletter\/unsubscribe\/[\w-]{60,}>$/,
  );
  expect(header('Message-ID')).toMatch(new RegExp(`^<\\w{15}\\.${id}@example\\.com>$`));
  expect(header('List-Id')).toBe(`<${site.siteId}.newsletter.example.com>`);
  expect(header('Feedback-ID')).toBe(`${id}:${site.siteId}:newsletter:example.com`);
  expect(header('Subject')).toMatch(/^=\?UTF-8\?Q\?/);
  const [, text = '', html = ''] = raw.split(/^--=_\w+$/m).map((part) => part.replaceAll('=\n', ''));
  expect(text).toContain('Content-Type: text/plain');
  expect(text).toContain('The secret.');
  expect(html).toContain('The <em>secret</em>.');
  for (const part of [text, html]) expect(part).toContain('https://example.com/newsletter/unsubscribe/');
  expect(raw).not.toContain('unsubscribe.invalid');
});

test('an email contains no text that the gate withholds from its reader when it is sent', async () => {
  await using site = await startMailingSite();
  await using relay = await startMisbehavingRelay();
  const owner = await ownerOf(site);
  await site.subscribe(['member@example.com', 'stranger@example.com', 'was@example.com']);
  await site.run(
    `insert into members (site_id, id, email, name, status, access_tiers, created, updated)
     select ?, lpad(email, 15, 'm'), email, '', 'active', '{members}', now(), now()
     from unnest('{member@example.com,was@example.com}'::text[]) email`,
    [site.siteId],
  );
  const id = await owner.mail(await owner.write({ access_tier: 'members' }));
  await site.run(`update members set access_tiers = '{}' where email = 'was@example.com'`);
  await using _worker = await startMailingWorker(site, relay.url);
  expect(await until(site, id, isOver)).toEqual(sent(3));
  expect(
    relay.taken.map(({ to, raw }) => [to, raw.includes('secret'), raw.includes('Open.')]).sort(),
  ).toEqual([
    ['member@example.com', true, true],
    ['stranger@example.com', false, true],
    ['was@example.com', false, true],
  ]);
});

test('a reader who unsubscribes before their email is sent gets none', async () => {
  await using site = await startMailingSite();
  const script: RelayScript = { rcpt: '450 4.2.0 later' };
  await using relay = await startMisbehavingRelay(() => script);
  const owner = await ownerOf(site);
  await site.subscribe(['ada@example.com', 'bob@example.com']);
  await using _worker = await startMailingWorker(site, relay.url);
  const id = await owner.mail(await owner.write());
  await until(site, id, ({ retrying }) => retrying === 2);
  await site.unsubscribe('bob@example.com');
  delete script.rcpt;
  await site.passTime();
  expect(await until(site, id, isOver)).toEqual({ ...sent(1), skipped: 1 });
  expect(relay.taken.map(({ to }) => to)).toEqual(['ada@example.com']);
});

test('the unsubscribe link of one newsletter stops the next, even if it is already waiting', async () => {
  await using site = await startMailingSite();
  const script: RelayScript = {};
  await using relay = await startMisbehavingRelay(() => script);
  const owner = await ownerOf(site);
  await site.subscribe(['ada@example.com', 'bob@example.com']);
  await using _worker = await startMailingWorker(site, relay.url);
  await until(site, await owner.mail(await owner.write()), isOver);
  script.rcpt = '450 4.2.0 later';
  const next = await owner.mail(await owner.write());
  await until(site, next, ({ retrying }) => retrying === 2);
  const first = relay.taken.find(({ to }) => to === 'bob@example.com');
  const link = /^List-Unsubscribe: <https:\/\/example\.com(\/\S+)>/m.exec(first?.raw ?? '')?.[1];
  const { status } = await fetch(`${site.baseUrl}${link}`, { method: 'POST' });
  expect(status).toBe(200);
  delete script.rcpt;
  await site.passTime();
  expect(await until(site, next, isOver)).toEqual({ ...sent(1), skipped: 1 });
  expect(relay.taken.map(({ to }) => to).sort()).toEqual([
    'ada@example.com',
    'ada@example.com',
    'bob@example.com',
  ]);
});

test.for<[string, object, string[]]>([
  ['subscribers of a source', { sources: ['talk'] }, ['bob', 'grace']],
  ['members with a tier', { access_tiers: ['members'] }, ['ada']],
  ['subscribers with an account', { access_tiers: ['registered'] }, ['ada', 'bob']],
  ['a source and a tier', { sources: ['talk'], access_tiers: ['registered'] }, ['bob']],
])('a mailing for %s reaches only them', async ([, audience, wanted]) => {
  await using site = await startMailingSite();
  await using relay = await startMisbehavingRelay();
  const owner = await ownerOf(site);
  await site.subscribe(['ada', 'bob', 'grace', 'eve'].map((name) => `${name}@example.com`));
  await site.run(`update subscribers set source = 'talk' where email similar to '(bob|grace)%'`);
  await site.run(
    `insert into members (site_id, id, email, name, status, access_tiers, created, updated)
     values (?, 'ada000000000000', 'ada@example.com', '', 'active', '{members}', now(), now()),
       (?, 'bob000000000000', 'bob@example.com', '', 'active', '{}', now(), now())`,
    [site.siteId, site.siteId],
  );
  const id = await owner.mail(await owner.write());
  await site.run('update mailings set audience = ?::jsonb where id = ?', [JSON.stringify(audience), id]);
  await using _worker = await startMailingWorker(site, relay.url);
  expect(await until(site, id, isOver)).toEqual(sent(wanted.length));
  expect(relay.taken.map(({ to }) => to.split('@')[0]).sort()).toEqual(wanted);
});

test('a suppressed address gets no email, whatever its subscription status', async () => {
  await using site = await startMailingSite();
  await using relay = await startMisbehavingRelay();
  const owner = await ownerOf(site);
  await site.subscribe(['ada@example.com', 'bob@example.com']);
  const hash = suppressionHash(await getMailKey(site.deps, site.siteId), 'Bob@example.com');
  await site.run(
    `insert into suppressions (site_id, email_hash, reason, created) values (?, ?, 'complained', now())`,
    [site.siteId, hash],
  );
  await using _worker = await startMailingWorker(site, relay.url);
  const id = await owner.mail(await owner.write());
  expect(await until(site, id, isOver)).toEqual({ ...sent(1), skipped: 1 });
  expect(relay.taken.map(({ to }) => to)).toEqual(['ada@example.com']);
});

test('an email that could not be composed does not count as unconfirmed, and is composed later', async () => {
  await using site = await startMailingSite();
  await using relay = await startMisbehavingRelay();
  const owner = await ownerOf(site);
  await site.subscribe(['ada@example.com']);
  const id = await owner.mail(await owner.write(), { on_unknown: 'leave' });
  {
    await using _preparing = await startMailingWorker(site, relay.url, { connections: 0 });
    await until(site, id, ({ queued }) => queued === 1);
  }
  await site.run('alter table sites rename column name to was_name');
  const { logger } = captureLog();
  await using _worker = await startMailingWorker(site, relay.url, { logger });
  await until(site, id, ({ retrying }) => retrying === 1);
  await site.run('alter table sites rename column was_name to name');
  await site.passTime();
  expect(await until(site, id, isOver)).toEqual(sent(1));
  expect(await site.copies(id)).toMatchObject([{ doubts: 0, attempts: 1 }]);
});

test('a short mailing is sent before a long one ends, over one connection; a mailing that the database refuses to write does not delay it', async () => {
  await using site = await startMailingSite();
  const other = await site.seed.site({ subdomain: 'other' });
  const third = await site.seed.site({ subdomain: 'third' });
  await using relay = await startMisbehavingRelay();
  const owner = await ownerOf(site);
  const many = Array.from({ length: 200 }, (_, n) => `r${n}@example.com`);
  await site.subscribe(many);
  await site.subscribe(['ada@example.com'], other);
  await site.subscribe(['refused@example.com'], third);
  await site.run(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
    create trigger refuse before update on mailing_recipients for each row
      when (new.email = 'refused@example.com' and new.state = 'accepted') execute function refuse()`);
  const postOf = async (siteId: string) => {
    const { studio } = ownerClient(site.baseUrl, await site.seed.ownerToken(siteId));
    return (await studio.posts.create.mutate({ title: 'News', content: 'Hello' })).id;
  };
  const refused = await site.mail(await postOf(third), { site: third });
  const id = await owner.mail(await owner.write());
  const { logger } = captureLog();
  await using _worker = await startMailingWorker(site, relay.url, { connections: 1, logger });
  await until(site, id, ({ accepted }) => Number(accepted) > 0);
  const small = await site.mail(await postOf(other), { site: other });
  await until(site, id, isOver);
  expect(await site.figures(small)).toMatchObject(sent(1));
  expect(relay.taken.findIndex(({ to }) => to === 'ada@example.com')).toBeLessThan(200);
  expect(await site.figures(refused)).toMatchObject({ status: 'sending', sending: 1 });
  await site.run('drop trigger refuse on mailing_recipients');
  expect(await until(site, refused, isOver)).toEqual(sent(1));
});

test("the mail server's limits apply over several workers, including dead ones, and pause no mailing", async () => {
  await using site = await startMailingSite();
  await using relay = await startMisbehavingRelay();
  const owner = await ownerOf(site);
  await site.subscribe(Array.from({ length: 12 }, (_, n) => `r${n}@example.com`));
  const limits = [
    { max: 1_000, unit: 's' as const },
    { max: 5, unit: 'd' as const },
  ];
  const id = await owner.mail(await owner.write());
  const start = () => startMailingWorker(site, relay.url, { limits });
  {
    await using _one = await start();
    await using _two = await start();
    await until(site, id, ({ accepted }) => accepted === 5);
  }
  await using _three = await start();
  const other = await site.seed.site({ subdomain: 'other' });
  await site.subscribe(['ada@example.com'], other);
  const { studio } = ownerClient(site.baseUrl, await site.seed.ownerToken(other));
  const theirs = await site.mail((await studio.posts.create.mutate({ title: 'B' })).id, { site: other });
  await until(site, theirs, ({ queued }) => queued === 1);
  expect([relay.taken.length, await site.figures(id)]).toMatchObject([5, { accepted: 5, queued: 7 }]);
  await site.run(`update mail_counts set parts = (select jsonb_object_agg(part::bigint - 61, copies)
    from jsonb_each(parts) counted(part, copies)) where unit = 'd'`);
  const acceptedOf = async (mailing: string) => Number((await site.figures(mailing)).accepted ?? 0);
  await eventually(async () => (await acceptedOf(id)) + (await acceptedOf(theirs)) === 10);
  // The counts must survive a crash of the database. Otherwise the limits would start again.
  const [kept] = await site.run(`select relpersistence from pg_class where relname = 'mail_counts'`);
  expect(kept).toEqual({ relpersistence: 'p' });
  await site.run('truncate mail_counts');
  expect(await until(site, id, isOver)).toEqual(sent(12));
  expect(await until(site, theirs, isOver)).toEqual(sent(1));
});

test("two workers never exceed the mail server's emails per second, however slow it is", async () => {
  await using site = await startMailingSite();
  const came: number[] = [];
  await using relay = await startMisbehavingRelay(
    (to) => (to.startsWith('r1') ? { takesMs: 700 } : {}),
    () => void came.push(performance.now()),
  );
  const owner = await ownerOf(site);
  await site.subscribe(Array.from({ length: 40 }, (_, n) => `r${n}@example.com`));
  const id = await owner.mail(await owner.write());
  const limits = [{ max: 8, unit: 's' as const }];
  await using _one = await startMailingWorker(site, relay.url, { limits });
  await using _two = await startMailingWorker(site, relay.url, { limits });
  expect(await until(site, id, isOver)).toEqual(sent(40));
  const max = Math.max(...came.map((at) => came.filter((other) => other >= at && other < at + 1_000).length));
  expect(relay.taken).toHaveLength(40);
  expect(max).toBeLessThanOrEqual(8);
});

test('edits after the start of a mailing change only the page, and later subscribers are not included', async () => {
  await using site = await startMailingSite();
  const script: RelayScript = { mail: '450 4.2.0 later' };
  await using relay = await startMisbehavingRelay(() => script);
  const owner = await ownerOf(site);
  await site.subscribe(['ada@example.com']);
  await using _worker = await startMailingWorker(site, relay.url);
  const post = await owner.write();
  const id = await owner.mail(post);
  await until(site, id, ({ retrying }) => retrying === 1);
  await owner.studio.posts.update.mutate({ id: post, content: 'Another text.' });
  await site.run(
    `insert into subscribers (site_id, id, email, name, source, status, soft_bounces, created)
    values (?, 'later0000000000', 'later@example.com', '', '', 'active', 0, now())`,
    [site.siteId],
  );
  delete script.mail;
  await site.passTime();
  expect(await until(site, id, isOver)).toEqual(sent(1));
  expect(relay.taken.map(({ raw }) => raw.includes('secret'))).toEqual([true]);
});

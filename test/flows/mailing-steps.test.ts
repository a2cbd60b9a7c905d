import { expect, test } from 'vitest';
import { createMailTransport } from '../../shared/mail/mailer.ts';
import { eventually } from '../support/eventually.ts';
import { captureLog } from '../support/log.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startMailingSite, startMailingWorker, until, writerOf } from '../support/mailing-site.ts';
import { type RelayScript, startMisbehavingRelay } from '../support/misbehaving-relay.ts';
import { ownerClient } from '../support/rpc.ts';

// Life of a mailing: an owner creates, pauses, resumes and cancels it while the worker sends it.

async function startOwner(script: RelayScript = {}) {
  const relay = await startMisbehavingRelay(() => script);
  const site = await startMailingSite({ smtpUrl: relay.url });
  const { studio } = ownerClient(site.baseUrl, await site.seed.ownerToken(site.siteId));
  const mailing = (id: string) => studio.mailings.get.query({ id });
  return {
    ...site,
    relay,
    script,
    studio,
    write: writerOf(studio),
    mail: async (post_id: string, about: object = {}) =>
      (await studio.mailings.create.mutate({ post_id, ...about })).id,
    mailing,
    sends: () => startMailingWorker(site, relay.url),
    /** Makes mailings due that the owner has scheduled. */
    due: (id: string) => site.run(`update mailings set send_at = now() where id = ?`, [id]),
    addUp: async (id: string) => {
      const counts = await site.counts(id);
      expect(counts?.are).toEqual(counts?.counted);
    },
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]();
      await relay[Symbol.asyncDispose]();
    },
  };
}

const addresses = (count: number) => Array.from({ length: count }, (_, n) => `r${n}@example.com`);
const isSent = ({ status }: { status?: unknown }) => status === 'sent';

/** Returns the number of distinct recipients whose emails the mail server accepted. */
const reached = ({ taken }: { taken: { to: string }[] }) => new Set(taken.map(({ to }) => to)).size;

test('a mailing has the sender name and reply address of its site, and each email the postal address', async () => {
  await using site = await startOwner();
  await site.subscribe(['ada@example.com']);
  await site.studio.site.update.mutate({
    newsletter: {
      from_name: 'Ada & "Co"',
      reply_to: 'Ada@example.org',
      postal_address: '1 Long Lane\nLondon',
    },
  });
  await using _worker = await site.sends();
  const id = await site.mail(await site.write(), { subject: 'Mind', preheader: 'Look inside' });
  await until(site, id, isSent);
  const [{ raw } = { raw: '' }] = site.relay.taken;
  expect(raw).toMatch(/^From: "Ada & \\"Co\\"" <news@example\.com>$/m);
  expect(raw).toMatch(/^Reply-To: <ada@example\.org>$/m);
  expect(raw).toMatch(/^Subject: Mind$/m);
  const [, text = '', html = ''] = raw.split(/^--=_\w+$/m).map((part) => part.replaceAll('=\n', ''));
  expect(text).toContain('1 Long Lane\nLondon');
  expect(html).toContain('1 Long Lane<br>London');
  expect(html).toContain('Look inside');
  expect(await site.mailing(id)).toMatchObject({
    status: 'sent',
    subject: 'Mind',
    recipients: 1,
    expected: 1,
    counts: { accepted: 1 },
    frozen_at: expect.any(Date),
    ended_at: expect.any(Date),
  });
});

test('a mailing that is paused and resumed while it is sent reaches every reader once', async () => {
  await using site = await startOwner();
  await site.subscribe(addresses(300));
  await using _worker = await site.sends();
  const id = await site.mail(await site.write());
  for (const share of [1, 100, 200]) {
    await until(site, id, ({ status, accepted }) => status === 'sending' && Number(accepted) >= share);
    await site.studio.mailings.pause.mutate({ id });
    const { counts, pause_reason } = await until(site, id, ({ sending }) => !sending).then(() =>
      site.mailing(id),
    );
    expect(pause_reason).toBe('by_owner');
    await site.addUp(id);
    await site.studio.mailings.list.query();
    expect((await site.mailing(id)).counts).toEqual(counts);
    await site.studio.mailings.resume.mutate({ id });
  }
  await until(site, id, isSent);
  expect([site.relay.taken.length, reached(site.relay)]).toEqual([300, 300]);
  await site.addUp(id);
});

test('a mailing that is paused and resumed during its preparation reaches all recipients', async () => {
  await using site = await startOwner();
  await site.subscribe(addresses(12_000));
  const id = await site.mail(await site.write());
  {
    await using _preparing = await startMailingWorker(site, site.relay.url, { connections: 0 });
    const { recipients } = await eventually(async () => {
      const mailing = await site.mailing(id);
      return mailing.recipients > 0 && mailing;
    });
    // The preparation may already have ended. Pausing must work in both cases.
    expect(recipients % 1_000).toBe(0);
    await site.studio.mailings.pause.mutate({ id });
    await site.studio.mailings.resume.mutate({ id });
    await until(site, id, ({ status }) => status === 'sending');
  }
  expect(await site.mailing(id)).toMatchObject({ recipients: 12_000, counts: { queued: 12_000 } });
  await site.addUp(id);
});

test('a mailing that is cancelled while it is sent reaches no further reader, and its counts are consistent', async () => {
  await using site = await startOwner();
  await site.subscribe(addresses(300));
  await using _worker = await site.sends();
  const post_id = await site.write();
  const id = await site.mail(post_id);
  await until(site, id, ({ accepted }) => Number(accepted) > 20);
  await site.studio.mailings.cancel.mutate({ id });
  await site.addUp(id);
  await until(site, id, ({ sending }) => !sending);
  const { counts, status, ended_at } = await site.mailing(id);
  expect([status, ended_at !== null, counts.queued]).toEqual(['cancelled', true, 0]);
  expect(counts.accepted + counts.skipped).toBe(300);
  expect(site.relay.taken).toHaveLength(counts.accepted);
  // A cancelled mailing no longer blocks the next one.
  const next = await site.mail(post_id, { again: true });
  await until(site, next, isSent);
});

test('after a cancellation, a postponed email is skipped and an unconfirmed one stays so', async () => {
  await using site = await startOwner({ dot: 'silence' });
  await site.subscribe(['put-off@example.com']);
  await using _worker = await site.sends();
  const id = await site.mail(await site.write());
  await until(site, id, ({ sending }) => sending === 1);
  await site.studio.mailings.cancel.mutate({ id });
  expect(await until(site, id, ({ sending }) => !sending)).toEqual({
    status: 'cancelled',
    pause_reason: null,
    unknown: 1,
  });
  const [copy] = await site.run<{ due_at: Date | null }>('select due_at from mailing_recipients');
  expect(copy).toEqual({ due_at: null });
  site.script.dot = '451 4.3.0 later';
  await site.run(
    `update mailing_recipients set state = 'queued', due_at = now(), doubts = 0 where mailing_id = ?`,
    [id],
  );
  await site.run(`update mailings set status = 'sending', unknown = 0, queued = 1 where id = ?`, [id]);
  await site.run(`
    create function cancel() returns trigger language plpgsql as $$ begin
      update mailings set status = 'cancelled' where id = new.mailing_id; return new; end $$;
    create trigger cancel after update on mailing_recipients for each row when (new.state = 'sending') execute function cancel()`);
  expect(await until(site, id, ({ status, sending }) => status === 'cancelled' && !sending)).toEqual({
    status: 'cancelled',
    pause_reason: null,
    skipped: 1,
  });
  await site.addUp(id);
});

test("refused emails are sent again at the owner's request, and a sent mailing reopens for that time", async () => {
  await using site = await startOwner({ rcpt: '552 5.2.2 full' });
  await site.subscribe(['ada@example.com', 'bob@example.com']);
  await using _worker = await site.sends();
  const id = await site.mail(await site.write());
  expect(await until(site, id, isSent)).toMatchObject({ refused: 2 });
  const { items } = await site.studio.mailings.recipients.query({ id, state: 'refused' });
  expect(items).toMatchObject([
    { reply_code: 552, reply_status: '5.2.2', attempts: 1 },
    { reply_code: 552, reply_status: '5.2.2', attempts: 1 },
  ]);
  delete site.script.rcpt;
  expect(await site.studio.mailings.retry.mutate({ id })).toEqual({ retried: 2 });
  expect(await until(site, id, ({ status, accepted }) => status === 'sent' && accepted === 2)).toEqual({
    status: 'sent',
    pause_reason: null,
    accepted: 2,
  });
  expect([site.relay.taken.length, reached(site.relay)]).toEqual([2, 2]);
});

test('a mailing that was resumed after too many refusals is not paused by the next one', async () => {
  await using site = await startOwner({ rcpt: '550 5.2.1 nobody' });
  await site.subscribe(addresses(30));
  await using _worker = await startMailingWorker(site, site.relay.url, { connections: 1 });
  const id = await site.mail(await site.write());
  const stopped = (refused: number) =>
    until(site, id, (now) => now.status === 'paused' && now.refused === refused);
  expect(await stopped(11)).toMatchObject({ pause_reason: 'too_many_refused' });
  await site.studio.mailings.resume.mutate({ id });
  expect(await stopped(22)).toMatchObject({ pause_reason: 'too_many_refused', queued: 8 });
});

test('a scheduled mailing waits for its time, and a due one waits for the one in progress', async () => {
  await using site = await startOwner({ rcpt: '450 4.2.0 later' });
  const other = await site.seed.site({ subdomain: 'other' });
  await site.subscribe(['ada@example.com']);
  await using _worker = await site.sends();
  const first = await site.mail(await site.write());
  await until(site, first, ({ retrying }) => retrying === 1);
  const later = await site.mail(await site.write(), { send_at: '2100-01-01T00:00:00Z' });
  const due = await site.mail(await site.write());
  // Once another site's mailing is sent, the worker has looked for due mailings.
  const elsewhere = await site.mail(await site.write());
  await site.run('update mailings set site_id = ? where id = ?', [other, elsewhere]);
  await until(site, elsewhere, ({ status }) => status === 'cancelled');
  expect([(await site.mailing(later)).status, (await site.mailing(due)).status]).toEqual([
    'scheduled',
    'scheduled',
  ]);
  delete site.script.rcpt;
  await site.passTime();
  for (const id of [first, due]) await until(site, id, isSent);
  expect((await site.mailing(later)).status).toBe('scheduled');
  await site.due(later);
  await until(site, later, isSent);
  expect(site.relay.taken).toHaveLength(3);
});

test.for<[string, (site: Awaited<ReturnType<typeof startOwner>>, id: string) => Promise<unknown>]>([
  ['deleted', (site, id) => site.studio.posts.delete.mutate({ id })],
  ['made a draft', (site, id) => site.studio.posts.update.mutate({ id, is_draft: true })],
  ['hidden', (site, id) => site.studio.posts.update.mutate({ id, visibility: 'private' })],
])(
  'a post that was %s before its mailing is due is not sent, and its owner is notified',
  async ([, hide]) => {
    await using site = await startOwner();
    await using mail = await startMailServer();
    await site.subscribe(['ada@example.com']);
    const post_id = await site.write();
    const id = await site.mail(post_id, { send_at: '2100-01-01T00:00:00Z' });
    await hide(site, post_id);
    await site.due(id);
    await using _worker = await startMailingWorker(site, site.relay.url, {
      mail: createMailTransport(mail, 'no-reply@example.com', captureLog().logger),
    });
    await until(site, id, ({ status }) => status === 'cancelled');
    expect(await site.mailing(id)).toMatchObject({ pause_reason: 'post_not_public', recipients: 0 });
    await eventually(() => mail.mails.length === 1);
    expect(mail.mails[0]?.raw).toContain('was not sent');
    expect(site.relay.taken).toEqual([]);
    // No reader received it, so it is not recorded as mailed.
    const again = await site.studio.posts.create.mutate({ title: 'Other', content: 'A' });
    await site.run('update mailings set post_id = ? where id = ?', [again.id, id]);
    await site.mail(again.id);
  },
);

test('a mailing that is due with the publication of its draft is sent once the post is public', async () => {
  await using site = await startOwner();
  await site.subscribe(['ada@example.com']);
  const post_id = await site.write({ is_draft: true });
  const publish_at = new Date('2100-01-01T00:00:00Z');
  await site.studio.posts.schedule.mutate({ id: post_id, publish_at });
  const id = await site.mail(post_id, { send_at: publish_at });
  await site.run('update posts set publish_at = now() where id = ?', [post_id]);
  await site.due(id);
  // Another transaction locks the post, so that it cannot be published yet.
  const [held, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = site.deps.database.em.fork().transactional(async (em) => {
    await em.execute('select from posts where id = ? for update', [post_id]);
    held.resolve();
    await end.promise;
  });
  await held.promise;
  await using _worker = await site.sends();
  expect(await until(site, id, ({ status }) => status !== 'scheduled')).toMatchObject({
    status: 'preparing',
  });
  end.resolve();
  await holding;
  expect(await until(site, id, isSent)).toMatchObject({ accepted: 1 });
  expect(await site.studio.posts.get.query({ id: post_id })).toMatchObject({ is_draft: false });
});

test("a test email goes to each address as in the mailing, and returns the mail server's answer", async () => {
  await using site = await startOwner();
  await site.studio.site.update.mutate({ newsletter: { from_name: 'Ada', reply_to: 'ada@example.org' } });
  const post_id = await site.write({ access_tier: 'members' });
  const to = ['ada@example.com', 'bob@example.com', 'Ada@example.com'];
  expect(await site.studio.mailings.test.mutate({ post_id, to, as: 'members', subject: 'Mind' })).toEqual({
    results: [
      { to: 'ada@example.com', accepted: true, reply: null },
      { to: 'bob@example.com', accepted: true, reply: null },
    ],
  });
  expect(site.relay.taken.map((mail) => mail.to).sort()).toEqual(['ada@example.com', 'bob@example.com']);
  const [{ raw } = { raw: '' }] = site.relay.taken;
  expect(raw).toMatch(/^From: Ada <site@example\.com>$/m);
  expect(raw).toMatch(/^Reply-To: ada@example\.org$/m);
  expect(raw).toMatch(/^Subject: Mind$/m);
  expect(raw).toContain('The secret.');
  expect(raw).not.toContain('unsubscribe.invalid');
  site.script.rcpt = '550 5.1.1 nobody here';
  const [refused] = (await site.studio.mailings.test.mutate({ post_id, to: ['ada@example.com'] })).results;
  expect(refused).toEqual({ to: 'ada@example.com', accepted: false, reply: '550 5.1.1 nobody here' });
});

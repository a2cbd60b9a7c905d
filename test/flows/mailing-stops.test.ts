import { expect, test } from 'vitest';
import { createMailTransport } from '../../shared/mail/mailer.ts';
import { eventually } from '../support/eventually.ts';
import { captureLog } from '../support/log.ts';
import { startMailServer } from '../support/mail-server.ts';
import { type MailingSite, startMailingSite, startMailingWorker, until } from '../support/mailing-site.ts';
import { startMisbehavingRelay } from '../support/misbehaving-relay.ts';
import { ownerClient } from '../support/rpc.ts';

// Mailings that cannot continue: others are sent, and the owner is notified.

/** Creates a post, and an owner who receives notices about mailings. */
async function postOf(site: MailingSite, siteId: string, content = 'Hello') {
  const { studio } = ownerClient(site.baseUrl, await site.seed.ownerToken(siteId));
  const { id } = await studio.posts.create.mutate({ title: 'News', content });
  return { id, edit: (changes: object) => studio.posts.update.mutate({ id, ...changes }) };
}

/** Starts a worker that sends notices to owners through this mail server. */
const startTellingWorker = (site: MailingSite, relay: { url: string }, mail: { url: string }, rest = {}) =>
  startMailingWorker(site, relay.url, {
    mail: createMailTransport(mail, 'no-reply@example.com', captureLog().logger),
    ...rest,
  });

const told = ({ mails }: { mails: { raw: string }[] }) =>
  mails.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim());

const goOn = (site: MailingSite, id: string, status: 'preparing' | 'sending') =>
  site.run(`update mailings set status = ?, pause_reason = null where id = ?`, [status, id]);

test('a mailing whose preparation fails in the database does not delay other sites, and is retried', async () => {
  await using site = await startMailingSite();
  await using relay = await startMisbehavingRelay();
  const other = await site.seed.site({ subdomain: 'other' });
  await site.subscribe(['ada@example.com']);
  await site.subscribe(['bob@example.com'], other);
  await site.run(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
    create trigger refuse before insert on mailing_recipients for each row when (new.email = 'ada@example.com') execute function refuse()`);
  const refused = await site.mail((await postOf(site, site.siteId)).id);
  const prepared = await site.mail((await postOf(site, other)).id, { site: other });
  const { logger, text } = captureLog();
  await using _worker = await startMailingWorker(site, relay.url, { logger });
  await until(site, prepared, ({ status }) => status === 'sent');
  expect(relay.taken.map(({ to }) => to)).toEqual(['bob@example.com']);
  expect(await site.figures(refused)).toEqual({ status: 'preparing', pause_reason: null });
  await eventually(() => text().includes(refused));
  await site.run('drop trigger refuse on mailing_recipients');
  await until(site, refused, ({ status }) => status === 'sent');
});

test('a post that cannot be rendered pauses its mailing, is not mailed as source text, and notifies the owner once', async () => {
  await using site = await startMailingSite();
  await using relay = await startMisbehavingRelay();
  await using mail = await startMailServer();
  await site.subscribe(['ada@example.com']);
  const post = await postOf(site, site.siteId, '<i>a</i>'.repeat(15_000));
  const id = await site.mail(post.id);
  await using _worker = await startTellingWorker(site, relay, mail);
  const stopped = await until(site, id, ({ status }) => status === 'paused' || status === 'sent');
  expect(stopped).toEqual({ status: 'paused', pause_reason: 'body_not_laid_out' });
  await eventually(() => mail.mails.length > 0);
  expect(told(mail)).toEqual(['A site: a newsletter was paused']);
  expect(mail.mails[0]?.raw.replaceAll('=\r\n', '')).toContain(`/studio/newsletters/${id}`);
  await post.edit({ content: 'Short.' });
  await goOn(site, id, 'preparing');
  await until(site, id, ({ status }) => status === 'sent');
  expect(relay.taken.map(({ raw }) => raw.includes('Short.'))).toEqual([true]);
  expect(mail.mails).toHaveLength(1);
});

test('a mailing pauses if there is no mail server for long, the owner is notified, and it can be resumed when the server is back', async () => {
  await using site = await startMailingSite();
  let isAway = true;
  await using relay = await startMisbehavingRelay(() => (isAway ? { greeting: '421 4.3.2 closed' } : {}));
  await using mail = await startMailServer();
  await site.subscribe(['ada@example.com']);
  const id = await site.mail((await postOf(site, site.siteId)).id);
  await using _worker = await startTellingWorker(site, relay, mail, { maxOutageMs: 0 });
  const stopped = await until(site, id, ({ status }) => status === 'paused');
  expect(stopped).toEqual({ status: 'paused', pause_reason: 'relay_away', retrying: 1 });
  await eventually(() => mail.mails.length > 0);
  expect(told(mail)).toEqual(['A site: a newsletter was paused']);
  isAway = false;
  await site.passTime();
  await goOn(site, id, 'sending');
  await until(site, id, ({ status }) => status === 'sent');
  expect(await site.copies(id)).toMatchObject([{ state: 'accepted', attempts: 1, doubts: 0 }]);
});

test('a mailing pauses after many policy bounces, and again once they have doubled; readers stay subscribed', async () => {
  await using site = await startMailingSite();
  let isOpen = false;
  await using relay = await startMisbehavingRelay((to) =>
    to.startsWith('late') && !isOpen ? { rcpt: '450 4.2.0 later' } : {},
  );
  await using mail = await startMailServer();
  const readers = Array.from({ length: 24 }, (_, n) => `reader${n}@example.com`);
  await site.subscribe(['late@example.com', ...readers]);
  const key = await site.seed.key({ siteId: site.siteId, scopes: ['write:newsletter'] });
  const id = await site.mail((await postOf(site, site.siteId)).id);
  await using _worker = await startTellingWorker(site, relay, mail);
  await until(site, id, ({ accepted, retrying }) => accepted === 24 && retrying === 1);
  const sent = await site.run<{ id: string }>(
    `select id from mailing_recipients where mailing_id = ? and state = 'accepted' order by email`,
    [id],
  );
  const comeBack = async (...[from, to]: [number, number]) => {
    const items = sent
      .slice(from, to)
      .map((copy) => ({ recipient: copy.id, type: 'bounce', status: '5.7.1' }));
    expect((await site.post('/api/v2/mailings/feedback', { key, body: { items } })).status).toBe(200);
    const { status, pause_reason, bounced } = await site.figures(id);
    return [status, pause_reason, bounced];
  };
  expect(await comeBack(0, 9)).toEqual(['sending', null, 9]);
  expect(await comeBack(9, 10)).toEqual(['paused', 'refused_by_policy', 10]);
  await eventually(() => mail.mails.length > 0);
  expect(told(mail)).toEqual(['A site: a newsletter was paused']);
  await goOn(site, id, 'sending');
  expect(await comeBack(10, 19)).toEqual(['sending', null, 19]);
  expect(await comeBack(19, 20)).toEqual(['paused', 'refused_by_policy', 20]);
  isOpen = true;
  await goOn(site, id, 'sending');
  await site.passTime();
  await until(site, id, ({ status }) => status === 'sent');
  expect(await comeBack(20, 24)).toEqual(['sent', null, 24]);
  expect(await site.run(`select distinct status from subscribers`)).toEqual([{ status: 'active' }]);
});

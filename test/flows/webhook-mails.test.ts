import { expect, test } from 'vitest';
import { createOwner } from '../../server/accounts/sites/owners.ts';
import { createMailTransport } from '../../shared/mail/mailer.ts';
import { startCountingReceiver } from '../support/counting-receiver.ts';
import { eventually } from '../support/eventually.ts';
import { captureLog } from '../support/log.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { createCertificate } from '../support/tls-receiver.ts';
import { startWebhookSite, type WebhookSite } from '../support/webhook-site.ts';
import { startTestWorker } from '../support/worker.ts';

// Emails to owners about failing webhooks.

const day = Array.from({ length: 5 }, () => 86_400);

/** Starts a worker that sends email through the server, and does not retry deliveries. */
const startMailingWorker = (site: WebhookSite, smtpUrl: string | undefined, logger = captureLog().logger) =>
  startTestWorker(site, {
    retrySeconds: day,
    mail: createMailTransport(smtpUrl ? { url: smtpUrl } : undefined, 'no-reply@ada.example.com', logger),
    publicUrl: new URL('https://ada.example.com'),
  });

const subjects = ({ mails }: MailServer) =>
  mails.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim()).toSorted();

const failing = 'A site: a webhook is failing';
const switchedOff = 'A site: a webhook was switched off';

/** Writes a number of events, and waits for the first attempt of each. */
async function attempt(site: WebhookSite, id: string, events: number) {
  const before = (await site.log(id)).length;
  for (let n = 0; n < events; n++) await site.write(`event ${n}`);
  await eventually(async () => {
    const log = await site.log(id);
    return log.length === before + events && log.every(({ status }) => status !== 'pending');
  });
}

test('five failures in a row are reported once, and so is the tenth, which deactivates the webhook', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(() => 500);
  await using site = await startWebhookSite(receiver.ca);
  await using mail = await startMailServer();
  await using _worker = await startMailingWorker(site, mail.url);
  const { id } = await site.subscribe(`${receiver.url}/a-path-that-is-secret`);
  await attempt(site, id, 4);
  await attempt(site, id, 1);
  await eventually(() => mail.mails.length > 0);
  expect(subjects(mail)).toEqual([failing]);
  await attempt(site, id, 4);
  await attempt(site, id, 1);
  await eventually(() => mail.mails.length > 1);
  expect(subjects(mail)).toEqual([failing, switchedOff]);
  const owners = await site.deps.database.em.execute<{ email: string }[]>(
    'select email from people order by created, id',
  );
  for (const { from, to, raw } of mail.mails) {
    expect({ from, to }).toEqual({ from: 'no-reply@ada.example.com', to: owners.map(({ email }) => email) });
    expect(raw.replaceAll('=\r\n', '')).toContain(`https://ada.example.com/studio/tools/webhooks/${id}`);
    expect(raw).toContain(`127.0.0.1:${receiver.port}`);
    expect(raw).not.toContain('a-path-that-is-secret');
  }
});

test('a new series of failures is reported again; requested attempts are not', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(() => 500);
  await using site = await startWebhookSite(receiver.ca);
  await using mail = await startMailServer();
  await using _worker = await startMailingWorker(site, mail.url);
  const { id } = await site.subscribe(receiver.url);
  await attempt(site, id, 4);
  const [first] = await site.log(id);
  for (let by = 2; by < 5; by++) {
    await site.redeliver(id, first?.id ?? '');
    await eventually(async () => (await site.delivery(id, first?.id ?? '')).attempts.length === by);
  }
  receiver.answerWith(() => 200);
  await attempt(site, id, 1);
  for (const round of [1, 2]) {
    receiver.answerWith(() => 500);
    await attempt(site, id, 6);
    await eventually(() => mail.mails.length === round);
    receiver.answerWith(() => 200);
    await attempt(site, id, 1);
  }
  expect(subjects(mail)).toEqual([failing, failing]);
});

test('every owner of the site is notified, and no one of another site', async () => {
  const certificate = await createCertificate();
  await using receiver = await startCountingReceiver(certificate);
  receiver.answerWith(() => 500);
  await using site = await startWebhookSite(receiver.ca);
  const second = { email: 'second@example.com', name: 'Second', password: 'correct horse battery' };
  await createOwner(site.deps, await site.seed.ownSite(), second);
  await site.seed.ownerToken(await site.seed.site());
  await using mail = await startMailServer();
  await using _worker = await startMailingWorker(site, mail.url);
  const { id } = await site.subscribe(receiver.url);
  await attempt(site, id, 5);
  await eventually(() => mail.mails.length > 0);
  expect(mail.mails[0]?.to).toHaveLength(2);
  expect(mail.mails[0]?.to).toContain('second@example.com');
});

test('a notice that an unavailable mail server did not accept is sent once the server is back', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(() => 500);
  await using site = await startWebhookSite(receiver.ca);
  const unavailable = await startMailServer();
  await unavailable.close();
  const { id } = await site.subscribe(receiver.url);
  {
    await using _worker = await startMailingWorker(site, unavailable.url);
    await attempt(site, id, 5);
    await eventually(async () => {
      const jobs = await site.deps.database.em.execute(
        `select 1 from graphile_worker.jobs where task_identifier = 'tell_owner' and attempts > 0 and last_error is not null`,
      );
      return jobs.length === 1;
    });
  }
  await using mail = await startMailServer();
  await using _worker = await startMailingWorker(site, mail.url);
  await eventually(() => mail.mails.length > 0);
  expect(subjects(mail)).toEqual([failing]);
});

test('without a mail server, production logs once that an email was not sent; a deleted webhook results in no notice', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(() => 500);
  await using site = await startWebhookSite(receiver.ca);
  const log = captureLog();
  const { id } = await site.subscribe(receiver.url);
  await using _worker = await startMailingWorker(site, undefined, log.logger);
  await attempt(site, id, 5);
  const unsent = 'email not sent: SMTP_URL is not set';
  await eventually(() => log.text().includes(unsent));
  const { id: gone } = await site.subscribe(receiver.url);
  const { em } = site.deps.database;
  await site.drop(gone);
  await em.execute(
    `select graphile_worker.add_job('tell_owner', json_build_object('site_id', '${await site.seed.ownSite()}', 'subscription_id', '${gone}', 'news', 'failing'))`,
  );
  await eventually(async () => {
    const jobs = await em.execute(`select 1 from graphile_worker.jobs where task_identifier = 'tell_owner'`);
    return jobs.length === 0;
  });
  expect(log.text().split(unsent)).toHaveLength(2);
  expect(log.text()).not.toContain(failing);
});

import { generateKeyPairSync } from 'node:crypto';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createMailer } from '../../shared/mail/mailer.ts';
import { startApp, type TestAppOptions } from '../support/app.ts';
import { captureLog } from '../support/log.ts';
import { startMailServer } from '../support/mail-server.ts';
import { makeOutbox } from '../support/outbox.ts';
import { ownerClient } from '../support/rpc.ts';

/** Returns the missing conditions for sending newsletters, first without a postal address and then with one. */
async function gapsOf(
  options: TestAppOptions,
  prepare: (app: Awaited<ReturnType<typeof startApp>>) => void = () => {},
) {
  await using app = await startApp(options);
  prepare(app);
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(await app.seed.ownSite()));
  const { missing } = await studio.mailings.delivery.query();
  await studio.site.update.mutate({ newsletter: { postal_address: '1 Long Lane' } });
  return [missing, (await studio.mailings.delivery.query()).missing];
}

test('owners see which conditions for sending newsletters are missing before they send one', async () => {
  await using mail = await startMailServer();
  await using outbox = await makeOutbox();
  expect(await gapsOf({})).toEqual([['mail_server', 'postal_address'], ['mail_server']]);
  expect(await gapsOf({ outbox })).toEqual([['mail_kept', 'postal_address'], ['mail_kept']]);
  const bare = ['signature', 'bounce_domain'];
  expect(await gapsOf({ smtpUrl: mail.url })).toEqual([[...bare, 'postal_address'], bare]);
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const signed = createMailer(
    { url: mail.url, dkim: { key, selector: 's1' } },
    'no-reply@example.com',
    captureLog().logger,
  );
  const config = { bounceDomain: 'bounces.example.com' };
  expect(
    await gapsOf({ config }, ({ deps }) => {
      deps.mailer = signed;
    }),
  ).toEqual([['postal_address'], []]);
});

test("line breaks in a sender's name cannot add header lines, also in encoded names", async () => {
  await using mail = await startMailServer();
  const mailer = createMailer({ url: mail.url }, 'site@example.com', pino({ level: 'silent' }));
  const about = { kind: 'newsletter', siteId: '', to: 'bob@example.com', subject: 'Hi', text: 'Hi' } as const;
  for (const fromName of ['Ada\r\nBcc: eve@example.com', '\r\n\u2028', 'Zoë\nX-Spam: no'])
    await mailer.send({ ...about, fromName });
  const headers = mail.mails.map(({ raw }) => raw.slice(0, raw.indexOf('\r\n\r\n')));
  expect(headers.map((header) => /^From: .*/m.exec(header)?.[0].trimEnd())).toEqual([
    'From: "Ada Bcc: eve@example.com" <site@example.com>',
    'From: site@example.com',
    'From: =?UTF-8?Q?Zo=C3=AB_X-Spam=3A_no?= <site@example.com>',
  ]);
  for (const header of headers) expect(header).not.toMatch(/=0D|=0A|^(Bcc|X-Spam):/m);
});

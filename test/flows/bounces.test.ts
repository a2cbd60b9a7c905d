import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { createTransport } from 'nodemailer';
import { expect, test } from 'vitest';
import { getMailKey } from '../../shared/newsletter/mail-key.ts';
import { bounceAddress, unsubscribeToken } from '../../shared/newsletter/mail-tokens.ts';
import { mailDomain } from '../../shared/runtime/settings/values.ts';
import { listenForBounces } from '../../worker/newsletters/bounces/listener.ts';
import { eventually } from '../support/eventually.ts';
import { captureLog } from '../support/log.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startMailingSite, startMailingWorker, until } from '../support/mailing-site.ts';
import { startMisbehavingRelay } from '../support/misbehaving-relay.ts';
import { sentMailing } from '../support/sent-mailing.ts';

// Reports that mail servers send to bounce addresses. Those in test/foreign/reports were recorded from real servers;
// the others here follow the documentation of servers and providers.

const ada = 'ada@example.com';

const domain = 'bounces.example.com';

async function startListening(at = domain) {
  const site = await startMailingSite();
  await site.subscribe([ada]);
  const { id, copyOf } = await sentMailing(site, [ada]);
  const { logger } = captureLog();
  const listener = await listenForBounces(
    { ...site.deps, logger },
    { domain: at, host: '127.0.0.1', port: 0 },
  );
  const key = await getMailKey(site.deps, site.siteId);
  const address = bounceAddress(key, { siteId: site.siteId, recipientId: copyOf(ada) }, at);
  const url = `smtp://127.0.0.1:${listener.port}`;
  const end = site[Symbol.asyncDispose];
  const statuses = async () =>
    (await site.run<{ status: string }>('select status from subscribers')).map(({ status }) => status);
  return Object.assign(site, {
    address,
    port: listener.port,
    mailing: id,
    copy: copyOf(ada),
    token: unsubscribeToken(key, { siteId: site.siteId, subscriberId: await idOf(site), email: ada }),
    /** Returns the server's answer to an email. */
    async send(raw: string, to = address): Promise<number> {
      const message = { envelope: { from: '', to }, raw: raw.replaceAll('\n', '\r\n') };
      const sent = await createTransport({ url })
        .sendMail(message)
        .catch((error: unknown) => error);
      if (sent instanceof Error) return 'responseCode' in sent ? Number(sent.responseCode) : 0;
      return 250;
    },
    /** Returns the status of the reader, and of the recipient as counted in its mailing. */
    async told() {
      const found = await site.counts(id);
      expect(found?.counted).toEqual(found?.are);
      return [...(await statuses()), ...Object.keys(found?.are ?? {})];
    },
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]();
      await end();
    },
  });
}

const idOf = async ({ run }: Pick<Awaited<ReturnType<typeof startMailingSite>>, 'run'>) =>
  (await run<{ id: string }>('select id from subscribers'))[0]?.id ?? '';

const report = (type: string, parts: readonly string[]) => `From: MAILER-DAEMON@mx.example.net
To: <somebody@${domain}>
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=${type};
\tboundary="4XyZ1/1700000000.mx.example.net"

This is a MIME-encapsulated message.

${parts.map((part) => `--4XyZ1/1700000000.mx.example.net\n${part}\n`).join('\n')}
--4XyZ1/1700000000.mx.example.net--
`;

/** Modeled on Postfix's `bounce(8)`. */
const postfix = ({
  action = 'failed',
  status = '5.1.1',
  said = '550 5.1.1 <ada@example.com>: User unknown',
} = {}) =>
  report('delivery-status', [
    'Content-Description: Notification\nContent-Type: text/plain; charset=us-ascii\n\nThis is the mail system at host mx.example.net.',
    `Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net
X-Postfix-Queue-ID: 4XyZ1
X-Postfix-Sender: rfc822; news@example.com
Arrival-Date: Tue, 24 Nov 2026 10:00:00 +0000 (UTC)

Final-Recipient: rfc822; ada@example.com
Original-Recipient: rfc822;ada@example.com
Action: ${action}
Status: ${status}
Remote-MTA: dns; mail.example.com
Diagnostic-Code: smtp; ${said}`,
    'Content-Description: Undelivered Message\nContent-Type: message/rfc822\n\nSubject: News\n\nHello',
  ]);

/** Modeled on RFC 5965. */
const complaint = (original: string, { type = 'abuse', more = '' } = {}) =>
  report('feedback-report', [
    'Content-Type: text/plain; charset=us-ascii\n\nThis is an email abuse report.',
    `Content-Type: message/feedback-report\n\nFeedback-Type: ${type}\nUser-Agent: SomeGenerator/1.0\nVersion: 1\n${more}`,
    `Content-Type: message/rfc822\nContent-Disposition: inline\n\n${original}\nSubject: News\n\nHello`,
  ]);

test.for([
  ['postfix-gone', ['bounced', 'bounced']],
  ['exim-gone', ['bounced', 'bounced']],
  ['postfix-refused', ['active', 'bounced']],
  ['exim-refused', ['active', 'bounced']],
  ['postfix-full', ['active', 'bounced']],
  ['exim-full', ['active', 'bounced']],
  ['postfix-late', ['active', 'accepted']],
  ['exim-away', ['active', 'accepted']],
] as const)('recorded reports of Postfix 3.7 and Exim 4.96 are recognized: %s', async ([name, told]) => {
  await using site = await startListening();
  const mail = await readFile(new URL(`../foreign/reports/${name}.eml`, import.meta.url), 'utf8');
  expect(await site.send(mail)).toBe(250);
  expect(await site.told()).toEqual(told);
});

test('an upper-case bounce address identifies the same recipient', async () => {
  await using site = await startListening();
  expect(await site.send(postfix(), site.address.toUpperCase())).toBe(250);
  expect(await site.told()).toEqual(['bounced', 'bounced']);
});

test('a non-ASCII bounce domain can be set in Unicode, and its addresses identify recipients', async () => {
  const at = mailDomain.parse('Bounces.ПОЧТА.рф');
  expect(at).toBe('bounces.xn--80a1acny.xn--p1ai');
  await using site = await startListening(at);
  expect(await site.send(postfix())).toBe(250);
  expect(await site.told()).toEqual(['bounced', 'bounced']);
  expect(await site.send(postfix(), `fbl@${at}`)).toBe(250);
  expect(await site.send(postfix(), `fbl@${domain}`)).toBe(550);
});

test.for([
  ['5.2.2', 'a mailbox is full'],
  ['5.7.1', 'the mail looks like spam'],
  ['4.4.7', 'a server could not be reached for days'],
] as const)(
  'a report of %s, that %s, marks the recipient as bounced, and the reader stays active',
  async ([status]) => {
    await using site = await startListening();
    expect(await site.send(postfix({ status, said: `550 ${status} no` }))).toBe(250);
    expect(await site.told()).toEqual(['active', 'bounced']);
  },
);

const vacation = `From: ada@example.com
Subject: Out of office
Auto-Submitted: auto-replied (vacation)
Content-Type: text/plain

550 5.1.1 Action: failed. I am away.
`;

test.for([
  ['the reply of a vacation program', vacation],
  ['a reply with an attached report', postfix().replace('multipart/report', 'multipart/mixed')],
  ['a report of a delay', postfix({ action: 'delayed' })],
  ['a report that a copy was delivered', postfix({ action: 'delivered', status: '2.0.0' })],
  [
    'a receipt that a copy was read',
    report('disposition-notification', ['Content-Type: message/disposition-notification\n\nAction: failed']),
  ],
  ['a complaint', complaint('Subject: x')],
  ['an empty email', ''],
  ['binary data', '\0\u00ff--\n\n--=_\n'.repeat(2_000)],
] as const)(
  'a bounce address accepts an email that reports no bounce (%s), and no state changes',
  async ([, mail]) => {
    await using site = await startListening();
    expect(await site.send(mail)).toBe(250);
    expect(await site.told()).toEqual(['active', 'accepted']);
  },
);

test("the bounce server refuses foreign and forged addresses, and those of another site that are signed with this site's key", async () => {
  await using site = await startListening();
  const [local = ''] = site.address.split('@');
  const other = await site.seed.site();
  const ofOther = bounceAddress(
    await getMailKey(site.deps, site.siteId),
    { siteId: other, recipientId: site.copy },
    domain,
  );
  for (const to of [
    `postmaster@${domain}`,
    `b-@${domain}`,
    `${local}@example.org`,
    `${local.slice(0, -1)}${local.endsWith('0') ? '1' : '0'}@${domain}`,
    `b-${local.slice(17, 32)}${local.slice(2, 17)}${local.slice(32)}@${domain}`,
    ofOther,
    `fbl@example.org`,
  ])
    expect([to, await site.send(postfix(), to)]).toEqual([to, 550]);
  expect(await site.told()).toEqual(['active', 'accepted']);
});

test('a complaint is matched by its bounce address, or by the unsubscribe link that it quotes', async () => {
  for (const mail of [
    (site: { address: string }) => complaint('', { more: `Original-Mail-From: <${site.address}>\n` }),
    (site: { address: string }) => complaint(`Return-Path: <${site.address}>`),
    (site: { token: string; copy: string; mailing: string }) =>
      complaint(
        `Message-ID: <${site.copy}.${site.mailing}@example.com>\nList-Unsubscribe:\n <https://example.com/newsletter/unsubscribe/${site.token}>`,
      ),
    (site: { token: string }) =>
      complaint(`List-Unsubscribe: <https://example.com/newsletter/unsubscribe/${site.token}>`),
  ]) {
    await using site = await startListening();
    expect(await site.send(mail(site), `fbl@${domain}`)).toBe(250);
    expect(await site.told()).toEqual(['complained', 'complained']);
  }
});

test('a complaint without a signed address or link is ignored, and so is a report that is not a complaint', async () => {
  await using site = await startListening();
  const forged = `${site.token.slice(0, -1)}${site.token.endsWith('A') ? 'B' : 'A'}`;
  for (const mail of [
    complaint(`Message-ID: <${site.copy}.${site.mailing}@example.com>`),
    complaint(`List-Unsubscribe: <https://example.com/newsletter/unsubscribe/${forged}>`),
    complaint(`Return-Path: <b-${'0'.repeat(54)}@${domain}>`),
    complaint(`Return-Path: <${site.address}>`, { type: 'not-spam' }),
    postfix(),
  ])
    expect(await site.send(mail, `fbl@${domain}`)).toBe(250);
  expect(await site.told()).toEqual(['active', 'accepted']);
});

test('an email over one mebibyte is refused, and only the beginning of a report is parsed', async () => {
  await using site = await startListening();
  const long = 'Hello, this is the copy that came back.\n'.repeat(20_000);
  expect(await site.send(postfix().replace('Hello', `${long}${long}`))).toBe(552);
  expect(await site.told()).toEqual(['active', 'accepted']);
  expect(await site.send(postfix().replace('Hello', long))).toBe(250);
  expect(await site.told()).toEqual(['bounced', 'bounced']);
});

test('of an email that consists only of lines, the first two thousand are parsed', async () => {
  await using site = await startListening();
  const before = 'This is the mail system';
  const after = (lines: number) => postfix().replace(before, `${':\n'.repeat(lines)}${before}`);
  expect(await site.send(after(2_000))).toBe(250);
  expect(await site.told()).toEqual(['active', 'accepted']);
  expect(await site.send(after(1_900))).toBe(250);
  expect(await site.told()).toEqual(['bounced', 'bounced']);
});

test('emails with endless nesting, headers or boundaries are ignored', async () => {
  await using site = await startListening();
  const nested = Array.from(
    { length: 2_000 },
    (_, n) => `--b${n}\nContent-Type: multipart/report; report-type=delivery-status; boundary=b${n + 1}\n\n`,
  ).join('');
  for (const mail of [
    `Content-Type: multipart/report; report-type=delivery-status; boundary=b0\n\n${nested}`,
    `${'X-Header: something\n'.repeat(3_000)}\n`,
    `Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n${'--b\n\n'.repeat(12_000)}`,
    `Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\nContent-Type: message/rfc822\n\n${'Content-Type: message/rfc822\n\n'.repeat(2_000)}`,
  ])
    expect(await site.send(mail)).toBe(250);
  expect(await site.told()).toEqual(['active', 'accepted']);
  expect(await site.send(postfix())).toBe(250);
});

test('of a thousand connections fifty are served, and a report is accepted once they have closed', async () => {
  await using site = await startListening();
  const greetings = Array.from({ length: 1_000 }, () => {
    const socket = connect(site.port, '127.0.0.1');
    socket.on('error', () => {});
    const greeting = new Promise<string>((resolve) => {
      socket.once('data', (data) => resolve(data.toString().slice(0, 3)));
      socket.once('close', () => resolve('gone'));
    });
    return { socket, greeting };
  });
  const said = await Promise.all(greetings.map(({ greeting }) => greeting));
  expect(said.filter((code) => code === '220')).toHaveLength(50);
  for (const { socket } of greetings) socket.destroy();
  await expect.poll(() => site.send(postfix())).toBe(250);
  expect(await site.told()).toEqual(['bounced', 'bounced']);
});

test('each recipient has a bounce address, to which its report returns', async () => {
  await using site = await startListening();
  await using relay = await startMisbehavingRelay();
  const key = await site.seed.key({ siteId: site.siteId });
  const { body } = await site.post('/api/v1/posts', { key, body: { title: 'News', content: 'Hello.' } });
  await using _worker = await startMailingWorker(site, relay.url, { bounceDomain: domain });
  const id = await site.mail((body as { id: string }).id);
  await until(site, id, ({ status, pause_reason }) => {
    if (pause_reason) throw new Error(`it stopped: ${pause_reason}`);
    return status === 'sent';
  });
  const [{ from } = { from: '' }] = relay.taken;
  expect(from).toMatch(new RegExp(`^b-${site.siteId}\\w{39}@bounces\\.example\\.com$`));
  expect(await site.send(postfix(), from)).toBe(250);
  expect(await site.figures(id)).toMatchObject({ bounced: 1 });
});

test('a report that arrives before the server accepted the email counts, and the email is not sent again', async () => {
  await using site = await startListening();
  const answers: number[] = [];
  await using mail = await startMailServer(async ({ from = '' }) => {
    answers.push(await site.send(postfix(), from));
  });
  const key = await site.seed.key({ siteId: site.siteId });
  const { body } = await site.post('/api/v1/posts', { key, body: { title: 'News', content: 'Hello.' } });
  await using _worker = await startMailingWorker(site, mail.url, { bounceDomain: domain });
  const id = await site.mail((body as { id: string }).id);
  expect(await until(site, id, ({ status }) => status === 'sent')).toEqual({
    status: 'sent',
    pause_reason: null,
    bounced: 1,
  });
  await site.passTime();
  await eventually(() => answers.length > 0);
  expect([answers, mail.mails.length, await site.told()]).toEqual([[250], 1, ['bounced', 'accepted']]);
  expect(await site.counts(id)).toEqual({ are: { bounced: 1 }, counted: { bounced: 1 } });
});

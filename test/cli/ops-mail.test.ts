import { generateKeyPairSync } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { dkimRecord } from '../../shared/mail/dkim.ts';
import { runOps } from '../support/backups.ts';
import { startMailServer } from '../support/mail-server.ts';

// `ops mail check`, against a DNS server that the test starts.

const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const settings = {
  PUBLIC_URL: 'https://news.example.com',
  SMTP_URL: 'smtp://user:secret@mail.example.com:587',
  MAIL_BOUNCE_DOMAIN: 'bounces.news.example.com',
  DKIM_KEY: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  DKIM_SELECTOR: 's1',
};

async function check(zone: Zone, { to = '', ...changed }: Record<string, string> = {}) {
  await using dns = await startDnsServer(zone);
  const environment = { ...settings, ...changed, DNS_SERVER: dns.address };
  const { exitCode, output } = await runOps(
    ['mail', 'check', ...(to ? [to] : [])],
    { dataDir: '' },
    environment,
  );
  const found = output.matchAll(/^(SPF|DKIM|DMARC|VERP|PTR) +(ok|missing|wrong|unknown) +(.*)$/gm);
  return { exitCode, output, found: [...found].map(([, what, is, says]) => [what, is, says].join(' ')) };
}

const whole: Zone = {
  'news.example.com': { TXT: ['google-site-verification=x', 'v=spf1 ip4:8.8.4.4 -all'] },
  'bounces.news.example.com': { TXT: ['v=spf1 ip4:8.8.4.4 -all'], MX: ['mail.example.com'] },
  's1._domainkey.news.example.com': { TXT: [dkimRecord(key)] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject'] },
  'mail.example.com': { A: ['8.8.4.4'] },
  '4.4.8.8.in-addr.arpa': { PTR: ['mail.example.com'] },
};

test('if DNS has every record that mail needs, each check reports ok and the exit code is 0', async () => {
  const { exitCode, found } = await check(whole);
  expect(found).toEqual([
    'SPF ok news.example.com: v=spf1 ip4:8.8.4.4 -all. Check that it includes your mail server.',
    'SPF ok bounces.news.example.com: v=spf1 ip4:8.8.4.4 -all. Check that it includes your mail server.',
    'DKIM ok The key at s1._domainkey.news.example.com matches DKIM_KEY.',
    'DMARC ok _dmarc.example.com: v=DMARC1; p=reject',
    'VERP ok Bounces to bounces.news.example.com go to mail.example.com.',
    'PTR ok 8.8.4.4 resolves to mail.example.com, and mail.example.com resolves to 8.8.4.4.',
  ]);
  expect(exitCode).toBe(0);
});

test('for each missing record the output contains the record to copy, and no secret', async () => {
  const { exitCode, output, found } = await check({ 'mail.example.com': { A: ['8.8.4.4'] } });
  expect(found.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    'SPF missing',
    'SPF missing',
    'DKIM missing',
    'DMARC missing',
    'VERP missing',
    'PTR missing',
  ]);
  for (const record of [
    'news.example.com. TXT\n  v=spf1 a:mail.example.com -all',
    'bounces.news.example.com. TXT\n  v=spf1 a:mail.example.com -all',
    `s1._domainkey.news.example.com. TXT\n  ${dkimRecord(key)}`,
    '_dmarc.news.example.com. TXT\n  v=DMARC1; p=quarantine; rua=mailto:dmarc@news.example.com',
    'bounces.news.example.com. MX\n  10 mail.example.com.',
  ])
    expect(output).toContain(`\n\n  ${record}\n`);
  expect(output).toContain('6 of 6 checks failed.');
  expect(output).not.toMatch(/secret|PRIVATE/);
  expect(exitCode).toBe(1);
});

test('a mail server with a private or local address is not suggested in any record', async () => {
  for (const host of ['127.0.0.1', '[::1]', 'localhost', '10.0.0.25']) {
    const { output } = await check({}, { SMTP_URL: `smtp://${host}:25` });
    for (const name of ['news.example.com', 'bounces.news.example.com'])
      expect(output).toContain(`\n\n  ${name}. TXT\n  v=spf1 a:mail.news.example.com -all\n`);
    expect(output).toContain('bounces.news.example.com. MX\n  10 mail.news.example.com.\n');
  }
  const { output } = await check({}, { SMTP_URL: 'smtp://8.8.4.4:25' });
  expect(output).toContain('\n\n  news.example.com. TXT\n  v=spf1 ip4:8.8.4.4 -all\n');
});

test('a harmful record is reported as wrong, and a DNS server that does not answer as unknown', async () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  const zone: Zone = {
    'news.example.com': { TXT: ['v=spf1 -all', 'v=spf1 mx -all'] },
    'bounces.news.example.com': { TXT: ['v=spf1 +all'], MX: ['gone.example.com'] },
    's1._domainkey.news.example.com': { TXT: [dkimRecord(other)] },
    '_dmarc.news.example.com': 'silent',
    'mail.example.com': { A: ['8.8.4.4', '10.0.0.1'] },
    '4.4.8.8.in-addr.arpa': { PTR: ['other.example.com'] },
    'other.example.com': { A: ['8.8.8.8'] },
  };
  const { found } = await check(zone, { DNS_TIMEOUT_MS: '5000' });
  expect(found).toEqual([
    'SPF wrong news.example.com has 2 SPF records, so receivers ignore all of them: merge them into one.',
    'SPF wrong bounces.news.example.com allows every server to send its mail: end `v=spf1 +all` with `-all`.',
    'DKIM wrong The key at s1._domainkey.news.example.com does not match DKIM_KEY.',
    'DMARC unknown DNS lookup of _dmarc.news.example.com failed or timed out: try again later.',
    'VERP wrong The MX record of bounces.news.example.com names gone.example.com, which has no address.',
    'PTR wrong 8.8.4.4 resolves to other.example.com, but other.example.com does not resolve to 8.8.4.4: add an address record to that name.',
  ]);
});

test('a signed test email is sent from the sender address of all mail, and an error of the mail server is shown', async () => {
  await using mail = await startMailServer();
  const sent = await check(whole, { SMTP_URL: mail.url, to: 'ada@example.org' });
  expect(sent.exitCode).toBe(0);
  expect(sent.output).toContain('Test email sent to ada@example.org');
  expect(sent.found.at(-1)).toBe(
    'PTR unknown 127.0.0.1 has no public address: check the PTR record of the address that it sends from.',
  );
  expect(mail.mails).toMatchObject([
    {
      from: 'no-reply@news.example.com',
      to: ['ada@example.org'],
      raw: expect.stringMatching(/^DKIM-Signature: [\s\S]*d=news\.example\.com;/),
    },
  ]);

  const none = await check(whole, { SMTP_URL: '', to: 'ada@example.org' });
  expect([none.exitCode, none.output]).toEqual([
    1,
    expect.stringContaining('Test email not sent: SMTP_URL is not set.'),
  ]);
  const unavailable = await check(whole, { SMTP_URL: 'smtp://127.0.0.1:1', to: 'ada@example.org' });
  expect([unavailable.exitCode, unavailable.output]).toEqual([
    1,
    expect.stringContaining('Test email not sent: connect ECONNREFUSED'),
  ]);
  const odd = await check(whole, { to: 'ada' });
  expect([odd.exitCode, odd.output]).toEqual([1, 'ada must be an email address.\n']);
});

test('a check whose setting is not set is reported as unknown with the name of the setting', async () => {
  const unset = { MAIL_BOUNCE_DOMAIN: '', DKIM_KEY: '', DKIM_SELECTOR: '' };
  const { found } = await check(whole, unset);
  expect(found).toEqual([
    expect.stringMatching(/^SPF ok/),
    expect.stringMatching(/^DKIM unknown DKIM_KEY is not set/),
    expect.stringMatching(/^DMARC ok/),
    expect.stringMatching(/^VERP unknown MAIL_BOUNCE_DOMAIN is not set/),
    expect.stringMatching(/^PTR ok/),
  ]);
  expect((await check(whole, { PUBLIC_URL: '' })).output).toContain('PUBLIC_URL: is required');
});

const types = { A: 1, PTR: 12, MX: 15, TXT: 16, AAAA: 28 } as const;

type RecordType = Exclude<keyof typeof types, 'AAAA'>;

/** DNS records by name; `silent` for a name that is never answered. */
type Zone = Readonly<Record<string, Partial<Record<RecordType, readonly string[]>> | 'silent'>>;

/** Starts a DNS server (RFC 1035) for these names, on loopback over UDP. Dispose of it with `await using`. */
async function startDnsServer(zone: Zone) {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    const records = zone[name];
    if (records === 'silent') return;
    const kind = (Object.keys(types) as (keyof typeof types)[]).find((one) => types[one] === type);
    const answers = (kind && kind !== 'AAAA' && records?.[kind]) || [];
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(records ? 0x8580 : 0x8583, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(answers.length, 6);
    const rows = answers.map((value) => rowOf(type, dataOf(kind, value)));
    socket.send(Buffer.concat([head, query.subarray(12, end), ...rows]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

function questionOf(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Writes a record for the requested name. */
function rowOf(type: number, data: Buffer) {
  const row = Buffer.alloc(12);
  row.writeUInt16BE(0xc00c, 0);
  row.writeUInt16BE(type, 2);
  row.writeUInt16BE(1, 4);
  row.writeUInt32BE(60, 6);
  row.writeUInt16BE(data.length, 10);
  return Buffer.concat([row, data]);
}

const counted = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')]);
const named = (name: string) => Buffer.concat([...name.split('.').map(counted), Buffer.from([0])]);

function dataOf(kind: keyof typeof types | undefined, value: string): Buffer {
  if (kind === 'A') return Buffer.from(value.split('.').map(Number));
  if (kind === 'TXT') return Buffer.concat((value.match(/.{1,255}/gs) ?? []).map(counted));
  return kind === 'MX' ? Buffer.concat([Buffer.from([0, 10]), named(value)]) : named(value);
}

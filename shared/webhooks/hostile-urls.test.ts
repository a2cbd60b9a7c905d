import { expect, test } from 'vitest';
import { startForbiddenServer } from '../../test/support/forbidden-server.ts';
import { parseCidr } from './addresses.ts';
import { createWebhookSender } from './send.ts';
import { type TargetRule, webhookTargetFault } from './target.ts';

/** PORT is replaced with a port on which a trap listens at 127.0.0.1 and ::1. */
const hostile: Record<string, string[]> = {
  'loopback, as it is usually written': [
    'https://127.0.0.1:PORT/',
    'https://127.0.0.1.:PORT/',
    'https://127.255.255.254:PORT/',
    'https://localhost:PORT/',
    'https://LOCALHOST:PORT/',
    'https://localhost.:PORT/',
    'https://anything.localhost:PORT/',
    'https://[::1]:PORT/',
  ],
  'loopback in other spellings of IPv4': [
    'https://127.1:PORT/',
    'https://127.0.1:PORT/',
    'https://2130706433:PORT/',
    'https://017700000001:PORT/',
    'https://0x7f000001:PORT/',
    'https://0X7F000001:PORT/',
    'https://0x7f.0.0.1:PORT/',
    'https://0x7f.1:PORT/',
    'https://0177.0.0.1:PORT/',
    'https://0177.0.0.01:PORT/',
    'https://00000177.0x0.0.1:PORT/',
    'https://127.0.0.0x1:PORT/',
    'https://127.0.0.1.0x0:PORT/',
    'https://%31%32%37.0.0.1:PORT/',
    'https://127%2e0%2e0%2e1:PORT/',
    'https://0:PORT/',
    'https://0.0.0.0:PORT/',
    'https://0.1.2.3:PORT/',
  ],
  'loopback in Unicode digits and dots': [
    'https://①②⑦.⓪.⓪.①:PORT/',
    'https://127。0。0。1:PORT/',
    'https://127．0．0．1:PORT/',
    'https://127｡0｡0｡1:PORT/',
    'https://１２７.0.0.1:PORT/',
    'https://𝟙𝟚𝟟.0.0.1:PORT/',
    'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/',
    'https://loc\u00adalhost:PORT/',
    'https://127.0.0.1\u200b:PORT/',
  ],
  'loopback in other spellings of IPv6': [
    'https://[0:0:0:0:0:0:0:1]:PORT/',
    'https://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/',
    'https://[::0.0.0.1]:PORT/',
    'https://[::]:PORT/',
    'https://[::1%25lo]:PORT/',
    'https://[::1%lo]:PORT/',
  ],
  'IPv4 inside IPv6': [
    'https://[::ffff:127.0.0.1]:PORT/',
    'https://[::ffff:7f00:1]:PORT/',
    'https://[0:0:0:0:0:ffff:127.0.0.1]:PORT/',
    'https://[::ffff:8.8.8.8]:PORT/',
    'https://[::ffff:0:127.0.0.1]:PORT/',
    'https://[::127.0.0.1]:PORT/',
    'https://[::8.8.8.8]:PORT/',
    'https://[64:ff9b::127.0.0.1]:PORT/',
    'https://[64:ff9b::7f00:1]:PORT/',
    'https://[64:ff9b::8.8.8.8]:PORT/',
    'https://[64:ff9b:1::10.0.0.1]:PORT/',
    'https://[2002:7f00:1::]:PORT/',
    'https://[2002:a9fe:a9fe::1]:PORT/',
    'https://[2002:808:808::1]:PORT/',
    'https://[2001:0:7f00:1::80ff:fffe]:PORT/',
    'https://[2001::1]:PORT/',
  ],
  'private and shared networks': [
    'https://10.0.0.1/',
    'https://10.1/',
    'https://0xa.0.0.1/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://192.168.257/',
    'https://3232235777/',
    'https://100.64.0.1/',
    'https://100.127.255.255/',
    'https://[fc00::1]/',
    'https://[fdff::1]/',
    'https://[fec0::1]/',
  ],
  'link-local addresses and metadata services': [
    'https://169.254.169.254/latest/meta-data/',
    'https://169.254.170.2/',
    'https://2852039166/',
    'https://0xa9fea9fe/',
    'https://0251.0376.0251.0376/',
    'https://[::ffff:169.254.169.254]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[fe80::a9fe:a9fe]/',
    'https://[fe80::1%25eth0]/',
    'https://100.100.100.200/',
    'https://168.63.129.16/',
    'https://2822734096/',
    'https://199.36.153.8/',
    'https://192.0.0.192/',
    'https://metadata.test/',
  ],
  'multicast, reserved and documentation addresses': [
    'https://224.0.0.1/',
    'https://239.255.255.250/',
    'https://240.0.0.1/',
    'https://255.255.255.255/',
    'https://4294967295/',
    'https://192.0.2.1/',
    'https://192.88.99.1/',
    'https://198.18.0.1/',
    'https://198.51.100.1/',
    'https://203.0.113.1/',
    'https://[ff02::1]/',
    'https://[100::1]/',
    'https://[2001:2::1]/',
    'https://[2001:10::1]/',
    'https://[2001:20::1]/',
    'https://[2001:db8::1]/',
    'https://[3fff::1]/',
    'https://[5f00::1]/',
    'https://[4000::1]/',
  ],
  'names that lead to such addresses': [
    'https://private.test:PORT/',
    'https://loopback.test:PORT/',
    'https://loopback6.test:PORT/',
    'https://loopback.test.:PORT/',
    'https://LOOPBACK.test:PORT/',
    'https://first-public.test:PORT/',
    'https://last-public.test:PORT/',
    'https://both-families.test:PORT/',
    'https://mapped.test:PORT/',
    'https://zone.test:PORT/',
    'https://octal.test:PORT/',
    'https://nonsense.test:PORT/',
  ],
  'URLs that pretend': [
    'https://user@127.0.0.1:PORT/',
    'https://user:pass@localhost:PORT/',
    'https://@localhost:PORT/',
    'https://public.test@127.0.0.1:PORT/',
    'https://public.test:443@127.0.0.1:PORT/',
    'https://127.0.0.1:PORT\\@public.test/',
    'https://127.0.0.1:PORT\\.public.test/',
    'https://public.test\\@127.0.0.1:PORT/',
    'https:\\\\127.0.0.1:PORT/',
    'https:127.0.0.1:PORT/',
    'https:/127.0.0.1:PORT/',
    'https:///127.0.0.1:PORT/',
    'https:////127.0.0.1:PORT/',
    ' https://127.0.0.1:PORT/',
    'https://127.0.0.1:PORT/ ',
    'https://127.0.0.1:PORT/\r\nX-Injected: 1',
    'ht\ntps://127.0.0.1:PORT/',
    'https://127.0.\t0.1:PORT/',
    'https://public.test/\u0000',
    'https://public.test/a b',
    'https://public.test/\u202egnp.exe',
    'https://public.test\u2028/',
    'https://public.test/\ud800',
    `https://public.test/${'a'.repeat(2000)}`,
  ],
  'invalid URLs, and other schemes': [
    '',
    'https://',
    'https://:PORT/',
    'https://?',
    'https://[::1',
    'https://[::1]x:PORT/',
    'https://[1:2:3]/',
    'https://1.2.3.4.5/',
    'https://256.256.256.256/',
    'https://public.test:0/',
    'https://public.test:65536/',
    'https://public.test:port/',
    'https://public%00.test/',
    'https://public^.test/',
    'http://127.0.0.1:PORT/',
    'http://public.test/',
    '//127.0.0.1:PORT/',
    '127.0.0.1:PORT',
    'ftp://127.0.0.1:PORT/',
    'ws://127.0.0.1:PORT/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,hello',
    'blob:https://public.test/id',
    'view-source:https://127.0.0.1:PORT/',
  ],
};

const names: Record<string, string[]> = {
  'public.test': ['93.184.215.14'],
  'private.test': ['10.0.0.1'],
  'loopback.test': ['127.0.0.1'],
  'loopback6.test': ['::1'],
  'metadata.test': ['169.254.169.254'],
  'first-public.test': ['93.184.215.14', '127.0.0.1'],
  'last-public.test': ['127.0.0.1', '93.184.215.14'],
  'both-families.test': ['93.184.215.14', '::1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'zone.test': ['fe80::1%eth0'],
  'octal.test': ['0177.0.0.1'],
  'nonsense.test': ['loopback.test'],
};

const rule: TargetRule = { lookup: async (name) => names[name] ?? [], allowCidrs: [] };
const cases = Object.entries(hostile).flatMap(([kind, urls]) => urls.map((url) => ({ kind, url })));

test('the table contains more than 150 hostile URLs, each once', () => {
  expect(new Set(cases.map(({ url }) => url)).size).toBe(cases.length);
  expect(cases.length).toBeGreaterThan(150);
});

test.for(cases)(
  'refused at registration and at delivery, with no packet sent: $kind: $url',
  async ({ url }) => {
    await using trap = await startForbiddenServer();
    const sender = createWebhookSender({ ...rule, timeoutMs: 60_000 });
    const aimed = url.replace('PORT', String(trap.port));

    expect(await webhookTargetFault(aimed, rule)).toMatch(/^must /);
    expect(await sender.send({ url: aimed, headers: {}, body: Buffer.from('{}') })).toEqual({
      ok: false,
      statusCode: null,
      error: 'forbidden_address',
      durationMs: expect.any(Number),
    });

    expect(trap.connections).toBe(0);
    await sender.close();
  },
);

test.for(['127.0.0.1', '[::1]'])(
  'the server that must get no packet in these tests would notice one to %s',
  async (host) => {
    await using trap = await startForbiddenServer();
    const allowCidrs = [parseCidr('127.0.0.0/8'), parseCidr('::1/128')];
    const sender = createWebhookSender({ ...rule, allowCidrs, timeoutMs: 60_000 });
    await sender.send({ url: `https://${host}:${trap.port}/`, headers: {}, body: Buffer.from('{}') });
    expect(trap.connections).toBe(1);
    await sender.close();
  },
);

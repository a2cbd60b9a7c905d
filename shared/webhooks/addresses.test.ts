import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { cloudServices, isPublicUnicast, isWithin, parseCidr } from './addresses.ts';

test.for([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2001:4860:4860::8888',
  '2a00:1450:4001:82a::200e',
])('%s, a public host or a neighbor of a special network, is public unicast', (address) => {
  expect(isPublicUnicast(address)).toBe(true);
});

test.for([
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '239.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
  ['::', '::1'],
  ['::2', '::ffff:ffff'],
  ['::ffff:0.0.0.0', '::ffff:255.255.255.255'],
  ['::ffff:0:0:0', '::ffff:0:ffff:ffff'],
  ['64:ff9b::', '64:ff9b::ffff:ffff'],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::', '100::ffff:ffff:ffff:ffff'],
  ['100:0:0:1::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['4000::', '5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
])('no address from %s to %s is public unicast', (ends) => {
  expect(ends.map(isPublicUnicast)).toEqual([false, false]);
});

test.for(cloudServices)('$cloud: no address of its $service is a permitted receiver', ({ addresses }) => {
  expect(addresses).not.toEqual([]);
  for (const address of addresses) expect(isPublicUnicast(address.replace(/\/.*/, '')), address).toBe(false);
});

test('without the table, every cloud service in it would count as a public host', () => {
  for (const address of cloudServices.flatMap(({ addresses }) => addresses))
    expect(ipaddr.parse(address.replace(/\/.*/, '')).range(), address).toBe('unicast');
});

test.for([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '169.254.169.253',
  '169.254.169.123',
  '169.254.0.23',
  '169.254.42.42',
  '100.100.100.200',
  '100.100.2.136',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd00:42::42',
  'fd00:c1::a9fe:a9fe',
  'fd20:ce::254',
  'fe80::a9fe:a9fe',
])('the metadata, credentials or DNS server of a cloud is not a permitted receiver: %s', (address) => {
  expect(isPublicUnicast(address)).toBe(false);
});

test.for(['168.63.129.15', '168.63.129.17', '199.36.153.3', '199.36.153.12', '161.25.255.255', '166.12.0.0'])(
  'a public address beside the blocked range of a cloud service is a permitted receiver: %s',
  (address) => {
    expect(isPublicUnicast(address)).toBe(true);
  },
);

test('an operator can allow a network that contains a cloud service', () => {
  expect(isWithin('168.63.129.16', [parseCidr('168.63.129.16/32')])).toBe(true);
});

test.for([
  '',
  'localhost',
  '8.8.8',
  '8.8.8.8.',
  '0x8.8.8.8',
  '010.8.8.8',
  '134744072',
  '[2606:4700::1]',
  '2606:4700::1%eth0',
])('anything but one plain address is not public unicast: %j', (text) => {
  expect(isPublicUnicast(text)).toBe(false);
});

test('no text makes the check throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.ipV4Extended()), (text) => {
      expect(typeof isPublicUnicast(text)).toBe('boolean');
    }),
  );
});

test('no IPv6 address that ends in an IPv4 address under ::/8 or 64::/16 is public unicast', () => {
  const prefixes = fc.constantFrom('::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::');
  fc.assert(
    fc.property(prefixes, fc.ipV4(), (prefix, address) => {
      expect(isPublicUnicast(prefix + address)).toBe(false);
    }),
  );
});

test('a network covers its own addresses and no others', () => {
  const networks = [parseCidr('10.1.0.0/16'), parseCidr('fd00:1::/32')];
  expect(isWithin('10.1.255.255', networks)).toBe(true);
  expect(isWithin('fd00:1::9', networks)).toBe(true);
  expect(isWithin('10.2.0.0', networks)).toBe(false);
  expect(isWithin('fd00:2::9', networks)).toBe(false);
  expect(isWithin('::ffff:10.1.0.1', networks)).toBe(false);
  expect(isWithin('fd00:1::9%eth0', networks)).toBe(false);
  expect(isWithin('10.1.0.1', [])).toBe(false);
});

test.for(['', '10.0.0.1', '10.0.0.0/33', '10.0.0.0/-1', 'fd00::/129', 'localhost/8', '10.0.0.0/8,fd00::/8'])(
  'an invalid network is refused with its text: %j',
  (text) => {
    expect(() => parseCidr(text)).toThrow(`"${text}" is not a network`);
  },
);

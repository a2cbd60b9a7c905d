import { expect, test } from 'vitest';
import { countedAs, createAddressReader } from './client-address.ts';

test.for([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002:FFFF::1', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['::1', '::/64'],
  ['unknown', 'unknown'],
])('the client address %s is counted as %s', ([ip = '', counted]) => {
  expect(countedAs(ip)).toBe(counted);
});

const addressOf = createAddressReader(['10.0.0.0/8', '2001:db8:ffff::/48']);

test.for([
  ['10.0.0.1', undefined, '10.0.0.1', 'the proxy itself, when it names nobody'],
  ['203.0.113.9', '5.6.7.8', '203.0.113.9', 'nobody but a trusted proxy is believed'],
  ['10.0.0.1', '5.6.7.8', '5.6.7.8', 'what the proxy wrote'],
  ['::ffff:10.0.0.1', '5.6.7.8', '5.6.7.8', 'a proxy whose IPv4 address comes in an IPv6 one'],
  ['10.0.0.1', '5.6.7.8:1001', '5.6.7.8', 'without its port'],
  ['10.0.0.1', '[2001:db8::1]:443', '2001:db8::1', 'without brackets and port'],
  ['10.0.0.1', '[2001:db8::1]', '2001:db8::1', 'without brackets'],
  ['10.0.0.1', '"[2001:db8::1]:443"', '2001:db8::1', 'without quotes'],
  ['10.0.0.1', '2001:db8::1', '2001:db8::1', 'a bare IPv6 address, whose last group is no port'],
  ['10.0.0.1', ' 1.1.1.1 , 5.6.7.8 ', '5.6.7.8', 'the last one: those before it are the client to claim'],
  ['10.0.0.1', '5.6.7.8:9, 10.0.0.2:80', '5.6.7.8', 'through a second proxy'],
  ['10.0.0.1', '5.6.7.8, [2001:db8:ffff::2]:80', '5.6.7.8', 'through a second proxy of IPv6'],
  ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3', 'the first proxy, when all are proxies'],
  ['10.0.0.1', '5.6.7.8,,', '5.6.7.8', 'past empty entries'],
  ['10.0.0.1', 'unknown', '10.0.0.1', 'the proxy, when it wrote no address'],
  ['10.0.0.1', 'unknown, 10.0.0.2', '10.0.0.2', 'the last proxy that is known'],
  ['10.0.0.1', '1.1.1.1, unknown', '10.0.0.1', 'nothing that a stranger wrote'],
  ['10.0.0.1', '5.6.7.8:99999', '10.0.0.1', 'no port is that high'],
  ['10.0.0.1', '0x5.6.7.8', '10.0.0.1', 'addresses have one spelling'],
  ['10.0.0.1', '', '10.0.0.1', 'an empty header'],
] as const)('a request from %s with X-Forwarded-For %j is counted for %s: %s', ([peer, header, address]) => {
  expect(addressOf(peer, header)).toBe(address);
});

test("without trusted proxies, a client's address is that of its connection", () => {
  expect(createAddressReader([])('10.0.0.1', '5.6.7.8')).toBe('10.0.0.1');
});

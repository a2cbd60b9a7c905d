import { expect, test } from 'vitest';
import { clientAddress } from './client-address.ts';

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
])('%s is counted as %s', ([ip = '', counted]) => {
  expect(clientAddress(ip)).toBe(counted);
});

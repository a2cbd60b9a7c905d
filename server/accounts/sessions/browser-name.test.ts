import { expect, test } from 'vitest';
import { browserName, shortenedAddress } from './browser-name.ts';

test.for([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Safari on iOS',
  ],
  ['curl/8.5.0', null],
] as const)('the user agent %s is shown as %s', ([userAgent, name]) => {
  expect(browserName(userAgent)).toBe(name);
});

test('a client address is shown without the part that identifies a household', () => {
  expect(['203.0.113.77', '2001:db8:1:2::/64'].map(shortenedAddress)).toEqual([
    '203.0.113.x',
    '2001:db8:1:2::/64',
  ]);
});

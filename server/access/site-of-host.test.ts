import { expect, test } from 'vitest';
import { subdomainOf } from './site-of-host.ts';

test.for([
  ['ada.example.com', 'ada'],
  ['a.b.example.com', 'a.b'],
  ['example.com', ''],
  ['notexample.com', ''],
  ['example.com.evil.example', ''],
  ['.example.com', ''],
  ['', ''],
])('below example.com, %s is the subdomain "%s"', ([host = '', subdomain]) => {
  expect(subdomainOf(host, 'example.com')).toBe(subdomain);
});

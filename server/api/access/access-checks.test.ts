import { expect, test } from 'vitest';
import { originAllowed } from './access-checks.ts';
import { subdomainOf } from './site-of-host.ts';

const allowed = ['https://ada.example.com', 'http://localhost:5173'];

test('an empty list allows every origin, and requests without one', () => {
  expect(originAllowed([], {})).toBe(true);
  expect(originAllowed([], { origin: 'null' })).toBe(true);
});

test('an origin is allowed by scheme, host and port together', () => {
  expect(originAllowed(allowed, { origin: 'https://ada.example.com' })).toBe(true);
  expect(originAllowed(allowed, { origin: 'http://localhost:5173' })).toBe(true);
  expect(originAllowed(allowed, { origin: 'http://ada.example.com' })).toBe(false);
  expect(originAllowed(allowed, { origin: 'http://localhost:5174' })).toBe(false);
  expect(originAllowed(allowed, { origin: 'https://ada.example.com.evil.example' })).toBe(false);
});

test('the origin of Referer counts if there is no Origin', () => {
  expect(originAllowed(allowed, { referer: 'https://ada.example.com/a?b#c' })).toBe(true);
  expect(originAllowed(allowed, { referer: 'https://ada.example.com:443/' })).toBe(true);
  expect(originAllowed(allowed, { referer: 'https://evil.example/https://ada.example.com' })).toBe(false);
});

test('an invalid or empty Origin is refused, whatever the Referer', () => {
  for (const origin of ['null', '', 'https://evil.example']) {
    expect(originAllowed(allowed, { origin, referer: 'https://ada.example.com/' })).toBe(false);
  }
});

test('a request without both headers, or with a Referer that is not a URL, is refused', () => {
  expect(originAllowed(allowed, {})).toBe(false);
  expect(originAllowed(allowed, { referer: 'about:blank' })).toBe(false);
  expect(originAllowed(allowed, { referer: 'ada.example.com' })).toBe(false);
});

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

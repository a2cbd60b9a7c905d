import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashSecret } from '../../../shared/runtime/secret-box.ts';
import { isKeySecret, keyPrefix, newKeySecret, prefixedText, siteTokenPrefix } from './credentials.ts';

const key = newKeySecret('a site', (size) => new Uint8Array(size).fill(7));

test('a key has its marker, the prefix of its site, 27 random characters and a checksum of 6', () => {
  expect(key).toBe(`svc_live_${siteTokenPrefix('a site')}${'7'.repeat(27)}${key.slice(-6)}`);
  expect(newKeySecret('a site', randomBytes)).toMatch(/^svc_live_[0-9A-Za-z]{38}$/);
  expect(isKeySecret(key)).toBe(true);
});

test('an older key without a site prefix is valid', () => {
  expect(isKeySecret(`svc_live_${'7'.repeat(32)}0tFkfY`)).toBe(true);
});

test('keys are unique', () => {
  const keys = Array.from({ length: 1_000 }, () => newKeySecret('a site', randomBytes));
  expect(new Set(keys).size).toBe(1_000);
  expect(keys.every(isKeySecret)).toBe(true);
});

test('one wrong character at any position makes a key invalid', () => {
  const wrong = fc.tuple(fc.nat(key.length - 1), fc.constantFrom(...'0123456789abzABZ-_ é'));
  fc.assert(
    fc.property(wrong, ([position, character]) => {
      fc.pre(key[position] !== character);
      expect(isKeySecret(key.slice(0, position) + character + key.slice(position + 1))).toBe(false);
    }),
  );
});

test('two swapped neighboring characters make a key invalid', () => {
  const random = newKeySecret('a site', randomBytes);
  for (let position = 9; position < random.length - 1; position += 1) {
    const [one = '', two = ''] = random.slice(position, position + 2);
    if (one === two) continue;
    expect(isKeySecret(random.slice(0, position) + two + one + random.slice(position + 2))).toBe(false);
  }
});

test.for([
  '',
  'svc_live_',
  key.slice(0, -1),
  `${key}0`,
  ` ${key}`,
  `${key}\n`,
  key.toUpperCase(),
  key.slice(9),
  key.repeat(2),
])('"%s" is not a key', (text) => {
  expect(isKeySecret(text)).toBe(false);
});

test('a key is stored as a hash, and shown as a prefix', () => {
  expect(hashSecret(key)).toMatch(/^[0-9a-f]{64}$/);
  expect(keyPrefix(key)).toBe(`svc_live_${siteTokenPrefix('a site')}7777777`);
});

// Routers compute the prefix too, so a change would send tokens to the wrong database.
test.for([
  ['', 'qwHAU'],
  ['mabc123def45678', 'mROjh'],
  ['mabc123def45679', '7qN6h'],
])('the prefix of site "%s" is always %s', ([siteId, prefix]) => {
  expect(siteTokenPrefix(String(siteId))).toBe(prefix);
});

test('the prefix of any site has five base62 digits', () => {
  fc.assert(fc.property(fc.string(), (siteId) => /^[0-9A-Za-z]{5}$/.test(siteTokenPrefix(siteId))));
});

test('site prefixes are evenly distributed', () => {
  const halves = [0, 0];
  for (let site = 0; site < 10_000; site += 1) {
    const half = siteTokenPrefix(`site ${site}`) < 'V' ? 0 : 1;
    halves[half] = (halves[half] ?? 0) + 1;
  }
  expect(Math.min(...halves)).toBeGreaterThan(4_500);
});

test('tokens of a site have the same prefix and a random rest', () => {
  const texts = Array.from({ length: 1_000 }, () => prefixedText('a site', 32, randomBytes));
  expect(new Set(texts.map((text) => text.slice(0, 5)))).toEqual(new Set([siteTokenPrefix('a site')]));
  expect(new Set(texts.map((text) => text.slice(5)))).toHaveLength(1_000);
});

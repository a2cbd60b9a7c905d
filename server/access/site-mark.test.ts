import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markedText, siteMark } from './site-mark.ts';

// Routers compute it as well: a mark that changes would lead tokens astray.
test.for([
  ['', 'qwHAU'],
  ['mabc123def45678', 'mROjh'],
  ['mabc123def45679', '7qN6h'],
])('the mark of site "%s" is always %s', ([siteId, mark]) => {
  expect(siteMark(String(siteId))).toBe(mark);
});

test('a mark is five base62 digits, of whatever site', () => {
  fc.assert(fc.property(fc.string(), (siteId) => /^[0-9A-Za-z]{5}$/.test(siteMark(siteId))));
});

test('sites are spread evenly over the marks', () => {
  const halves = [0, 0];
  for (let site = 0; site < 10_000; site += 1) {
    const half = siteMark(`site ${site}`) < 'V' ? 0 : 1;
    halves[half] = (halves[half] ?? 0) + 1;
  }
  expect(Math.min(...halves)).toBeGreaterThan(4_500);
});

test('tokens of a site begin alike and go on at random', () => {
  const texts = Array.from({ length: 1_000 }, () => markedText('a site', 32, randomBytes));
  expect(new Set(texts.map((text) => text.slice(0, 5)))).toEqual(new Set([siteMark('a site')]));
  expect(new Set(texts.map((text) => text.slice(5)))).toHaveLength(1_000);
});

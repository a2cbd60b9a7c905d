import { expect, test } from 'vitest';
import { base36, base62, randomText } from './random-text.ts';

const randomBytes = (size: number) => crypto.getRandomValues(new Uint8Array(size));

test('a text has the length and the alphabet that were asked for', () => {
  expect(randomText(base62, 43, randomBytes)).toMatch(/^[0-9A-Za-z]{43}$/);
  expect(randomText(base36, 0, randomBytes)).toBe('');
});

test('bytes beyond the last whole alphabet are thrown away, so that each character is equally likely', () => {
  const bytes = [255, 251, 36, 0, 252, 35];
  const source = (size: number) => new Uint8Array(bytes.splice(0, size));
  expect(randomText(base36, 4, source)).toBe('z00z');
});

test('every character of the alphabet comes up', () => {
  expect(new Set(randomText(base62, 10_000, randomBytes)).size).toBe(62);
});

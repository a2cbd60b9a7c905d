import { expect, test } from 'vitest';
import { shortened } from './fit-text.ts';

test('a shortened text ends with a whole word, in languages with and without spaces', () => {
  expect(shortened('A word, and another word that is too long', 12)).toBe('A word, and …');
  expect(shortened('A word, and another', 9)).toBe('A word …');
  expect(shortened('今天天气很好，我们去公园散步', 8)).toBe('今天天气很好…');
  expect(shortened('吾輩は猫である。名前はまだ無い。どこで生れたか', 14)).toBe('吾輩は猫である。名前はまだ…');
  expect(shortened('วันนี้อากาศดีมากเราไปเดินเล่น', 14)).toBe('วันนี้อากาศดี…');
});

test.for([
  'a'.repeat(500),
  '今'.repeat(500),
  '🦆'.repeat(500),
  `${'x'.repeat(49)}${'👩‍👩‍👧'.repeat(80)}`,
  '…'.repeat(500),
])('one endless word is cut: %.10s', (content) => {
  const text = shortened(content, 100);
  expect(text.length).toBeGreaterThan(50);
  expect(text.length).toBeLessThanOrEqual(101);
  expect(text.isWellFormed()).toBe(true);
});

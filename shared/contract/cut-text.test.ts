import { expect, test } from 'vitest';
import { cutText, firstCharacter } from './cut-text.ts';

const characters = [
  '🦆',
  '👩‍👩‍👧',
  '🇵🇱',
  '👍🏽',
  'e\u0301',
  'ก\u0E49',
  '1️⃣',
  '각'.normalize('NFD'),
  'नि',
  '\r\n',
];

test.for(characters)('a cut never divides %s', (character) => {
  for (let before = 0; before < 4; before += 1)
    for (let inside = 1; inside < character.length; inside += 1) {
      const text = `${'a'.repeat(before)}${character.repeat(3)}b`;
      const whole = Math.floor((before + character.length + inside - before) / character.length);
      expect(cutText(text, before + character.length + inside)).toBe(
        'a'.repeat(before) + character.repeat(whole),
      );
    }
  expect(cutText(character.repeat(2), character.length)).toBe(character);
  expect(firstCharacter(`${character}b`)).toBe(character);
});

test('a text that fits is unchanged, and a text of flags is cut between flags', () => {
  expect(cutText('abc', 3)).toBe('abc');
  expect(cutText('🇵🇱🇩🇪🇫🇷', 7)).toBe('🇵🇱');
  expect(firstCharacter('')).toBe('');
});

test('a character that is longer than the maximum is cut between code points', () => {
  expect(cutText('👩‍👩‍👧', 4)).toBe('👩‍');
  expect(cutText('🦆', 1)).toBe('');
  expect(cutText(`a${'\u0301'.repeat(500)}`, 100)).toHaveLength(100);
});

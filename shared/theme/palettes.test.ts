import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contrast, parse, readableOn } from './palettes.ts';

const color = fc
  .integer({ min: 0, max: 0xffffff })
  .map((number) => `#${number.toString(16).padStart(6, '0')}`);

test('any accent is readable on light and dark backgrounds', () => {
  fc.assert(
    fc.property(color, fc.constantFrom('#fcfbf8', '#141311', '#ffffff'), (accent, ground) => {
      expect(contrast(parse(readableOn(ground, accent)), parse(ground))).toBeGreaterThanOrEqual(4.45);
    }),
  );
});

test('a readable accent is unchanged', () => {
  expect(readableOn('#ffffff', '#0a5b3c')).toBe('#0a5b3c');
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sorts } from '../../../shared/contract/pagination.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

const id = 'mb3k9x2a7f0q1zd';
const timestamp = new Date('2026-01-31T09:05:00.123Z');

test.for(sorts)('a cursor in order %s decodes to its position', (sort) => {
  const value = sort.endsWith('title') ? 'A "title" with 漢字 🎉' : timestamp;
  expect(decodeCursor({ sort }, encodeCursor({ sort }, { value, id }))).toEqual({ value, id });
});

test('a cursor decodes to its position for any title, and needs no encoding in URLs', () => {
  const title = fc.string({ unit: 'grapheme', maxLength: 500 }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(title, (value) => {
      const cursor = encodeCursor({ sort: 'title' }, { value, id });
      expect(cursor).toMatch(/^[\w-]+$/);
      expect(decodeCursor({ sort: 'title' }, cursor)).toEqual({ value, id });
    }),
  );
});

test('a cursor of another order is rejected', () => {
  const cursor = encodeCursor({ sort: 'created' }, { value: timestamp, id });
  for (const sort of sorts.filter((other) => other !== 'created'))
    expect(decodeCursor({ sort }, cursor)).toBeNull();
});

test('a cursor of a list with another filter is rejected', () => {
  const filters = [undefined, { q: 'a' }, { q: 'b' }, { status: ['a'] }, { status: ['a', 'b'] }, { min: 1 }];
  const lists = filters.map((filter) => ({ sort: 'title' as const, ...(filter && { filter }) }));
  for (const list of lists) {
    const cursor = encodeCursor(list, { value: 'A', id });
    expect(lists.filter((other) => decodeCursor(other, cursor) !== null)).toEqual([list]);
  }
  const unfiltered = { sort: 'title' as const, filter: { q: undefined } };
  expect(decodeCursor({ sort: 'title' }, encodeCursor(unfiltered, { value: 'A', id }))).not.toBeNull();
});

test('any other text is rejected as a cursor without throwing', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...sorts),
      fc.oneof(fc.string(), fc.base64String(), fc.json().map(opaque)),
      (sort, cursor) => {
        expect(decodeCursor({ sort }, cursor)).toBeNull();
      },
    ),
    { numRuns: 1_000 },
  );
});

const opaque = (json: string) => Buffer.from(json).toString('base64url');

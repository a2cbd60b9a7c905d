import { expect, test } from 'vitest';
import { readRange } from './byte-range.ts';

test.for([
  ['bytes=0-9', { first: 0, last: 9 }],
  ['bytes=90-', { first: 90, last: 99 }],
  ['bytes=90-200', { first: 90, last: 99 }],
  ['bytes=-10', { first: 90, last: 99 }],
  ['bytes=-200', { first: 0, last: 99 }],
  [undefined, null],
  ['', null],
  ['bytes=', null],
  ['bytes=-', null],
  ['bytes=9-0', null],
  ['bytes=0-1,5-6', null],
  ['lines=0-9', null],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
] as const)('for 100 bytes, "%s" requests %j', ([header, range]) => {
  expect(readRange(header, 100)).toEqual(range);
});

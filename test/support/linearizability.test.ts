import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findContradiction, type Operation } from './linearizability.ts';

type Moments = readonly [began: number, ended: number];

const read = (value: string, [began, ended]: Moments): Operation<string> => ({
  began,
  ended,
  step: (state) => (state === value ? state : null),
  isRead: true,
  about: `read ${value}`,
});

const write = (value: string, [began, ended]: Moments): Operation<string> => ({
  began,
  ended,
  step: () => value,
  isRead: false,
  about: `write ${value}`,
});

/** Update with If-Match: it succeeds only on the expected state, and otherwise changes nothing. */
const swap = (from: string, to: string, [began, ended]: Moments): Operation<string> => ({
  ...write(to, [began, ended]),
  step: (state) => (state === from ? to : null),
  about: `write ${to} on ${from}`,
});

const lost = Infinity;

test.each([
  ['nothing', []],
  ['one after the other', [write('a', [1, 2]), read('a', [3, 4]), write('b', [5, 6]), read('b', [7, 8])]],
  ['a read during a write shows the old', [write('a', [1, 4]), read('0', [2, 3])]],
  ['a read during a write shows the new', [write('a', [1, 4]), read('a', [2, 3])]],
  ['reads during a write, old first', [write('a', [1, 9]), read('0', [2, 3]), read('a', [4, 5])]],
  [
    'the later of two writes at once may come first',
    [write('a', [1, 4]), write('b', [2, 3]), read('a', [5, 6])],
  ],
  ['a write whose answer got lost was done', [write('a', [1, lost]), read('0', [2, 3]), read('a', [4, 5])]],
  ['or it was not', [write('a', [1, lost]), read('0', [2, 3])]],
  ['or it is done late', [write('a', [1, lost]), write('b', [2, 3]), read('b', [4, 5]), read('a', [6, 7])]],
  ['of two on top of the same, one', [swap('0', 'a', [1, 4]), swap('a', 'b', [2, 5]), read('b', [6, 7])]],
])('an order exists: %s', (_, history) => {
  expect(findContradiction(history, '0')).toBeNull();
});

test.each([
  ['stale after a write', [write('a', [1, 2]), read('0', [3, 4])], ['read 0']],
  ['the new, then the old', [write('a', [1, 9]), read('a', [2, 3]), read('0', [4, 5])], ['read 0']],
  [
    'two readers saw two orders',
    [
      ...[write('a', [1, 20]), write('b', [2, 21])],
      ...[read('a', [3, 4]), read('b', [5, 6]), read('a', [7, 8])],
    ],
    ['read a'],
  ],
  [
    'a lost write is seen, then not',
    [write('a', [1, lost]), read('a', [2, 3]), read('0', [4, 5])],
    ['read 0'],
  ],
  [
    'a lost write is done twice',
    [...[write('a', [1, lost]), read('a', [2, 3]), write('b', [4, 5]), read('b', [6, 7]), read('a', [8, 9])]],
    ['read a'],
  ],
  ['what nobody wrote', [write('a', [1, 2]), read('b', [3, 4])], ['read b']],
  ['two on top of the same', [swap('0', 'a', [1, 4]), swap('0', 'b', [2, 5])], ['write a on 0']],
  ['seen before it began', [read('a', [1, 2]), write('a', [3, 4])], ['read a']],
])('no order exists: %s', (_, history, impossible) => {
  expect(findContradiction(history, '0')?.impossible).toEqual(expect.arrayContaining(impossible));
});

const anyHistory = fc
  .array(fc.tuple(fc.constantFrom(read, write), fc.constantFrom('0', 'a', 'b'), fc.boolean()), {
    maxLength: 5,
  })
  .chain((kinds) =>
    fc
      .shuffledSubarray(
        kinds.flatMap((_, index) => [index, index]),
        { minLength: 2 * kinds.length },
      )
      .map((turns) =>
        kinds.map(([kind, value, isLost], index) => {
          const ended = isLost && kind === write ? lost : turns.lastIndexOf(index);
          return kind(value, [turns.indexOf(index), ended]);
        }),
      ),
  );

test('the search finds an order exactly if trying all orders finds one', () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      expect(findContradiction(history, '0') === null).toBe(hasOrder(history, '0'));
    }),
    { numRuns: 5_000 },
  );
});

test('one stale read at the end of a long valid history is detected', () => {
  const rounds = Array.from({ length: 500 }, (_, round) => {
    const at = (position: number) => round * 100 + position;
    const reads = Array.from({ length: 15 }, (__, index) =>
      read(`${round}`, [at(20 + index), at(60 + index)]),
    );
    return [write(`${round}`, [at(1), at(50)]), ...reads];
  }).flat();
  expect(findContradiction(rounds, '0')).toBeNull();
  expect(findContradiction([...rounds, read('498', [50_000, 50_001])], '0')).toEqual({
    found: '499',
    impossible: ['read 498'],
  });
});

/** Checks all orders of all operations, with each possible effect of lost ones. */
function hasOrder(history: readonly Operation<string>[], state: string): boolean {
  if (history.every(({ ended }) => ended === lost)) return true;
  return history.some((operation) => {
    const others = history.filter((other) => other !== operation);
    const left = operation.step(state);
    return left !== null && others.every(({ ended }) => ended > operation.began) && hasOrder(others, left);
  });
}

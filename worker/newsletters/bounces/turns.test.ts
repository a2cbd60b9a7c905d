import { expect, test } from 'vitest';
import { createTurns } from './listener.ts';

test('tasks run one at a time, even after a failure, and other work of the process runs in between', async () => {
  const inTurn = createTurns();
  const seen: string[] = [];
  const work = (name: string, fails = false) =>
    inTurn(async () => {
      seen.push(`${name} begins`);
      setImmediate(() => seen.push(`other work after ${name}`));
      await Promise.resolve();
      seen.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const done = await Promise.allSettled([work('a'), work('b', true), work('c')]);
  expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(seen).toEqual([
    ...['a begins', 'a ends', 'other work after a'],
    ...['b begins', 'b ends', 'other work after b'],
    ...['c begins', 'c ends'],
  ]);
});

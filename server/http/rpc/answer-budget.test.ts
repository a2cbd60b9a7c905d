import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAnswerBudget } from './answer-budget.ts';

const budget = { maxBytes: 100, maxBytesPerClient: 100, expectedBytes: 50, bytesOf: Number };

test('RPC calls over the memory budget of answers wait until earlier answers were sent', async () => {
  const { begun, call } = recordedCalls();
  const open = createAnswerBudget(budget);
  const [first, second] = [open('a'), open('b')];
  await first.run(call('a', 60));
  const waiting = second.run(call('b', 60));
  await turn();
  expect(begun).toEqual(['a']);
  first.end();
  await waiting;
  expect(begun).toEqual(['a', 'b']);
});

test('RPC calls with small answers make room in the budget for others immediately', async () => {
  const { begun, call } = recordedCalls();
  const open = createAnswerBudget(budget);
  const [first, second] = [open('a'), open('b')];
  const answers = [call('a', 10), call('b', 10)].map(first.run);
  answers.push(...[call('c', 10), call('d', 10)].map(second.run));
  expect(await Promise.all(answers)).toEqual([10, 10, 10, 10]);
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
});

test('the RPC request that began first does not wait for the budget, so that requests cannot block each other', async () => {
  const { begun, call } = recordedCalls();
  const open = createAnswerBudget(budget);
  const [first, second] = [open('a'), open('b')];
  await first.run(call('a', 60));
  const waiting = [call('d', 60), call('e', 60)].map(second.run);
  await first.run(call('b', 60));
  await first.run(call('c', 60));
  expect(begun).toEqual(['a', 'b', 'c']);
  first.end();
  await Promise.all(waiting);
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('slow calls of one client leave room for those of others', async () => {
  const { begun, call } = recordedCalls();
  const open = createAnswerBudget({ ...budget, maxBytes: 150 });
  const slow = Promise.withResolvers<number>();
  const [first, second, other] = [open('a'), open('a'), open('b')];
  const waiting = [first.run(() => slow.promise), first.run(() => slow.promise), second.run(call('a', 10))];
  await other.run(call('b', 10));
  expect(begun).toEqual(['b']);
  slow.resolve(10);
  await Promise.all(waiting);
  expect(begun).toEqual(['b', 'a']);
});

test('a failed call takes no budget', async () => {
  const { begun, call } = recordedCalls();
  const open = createAnswerBudget(budget);
  const [first, second] = [open('a'), open('b')];
  await expect(first.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await second.run(call('a', 60));
  expect(begun).toEqual(['a']);
});

/** Creates calls that record their names when they begin, and return a number. */
function recordedCalls() {
  const begun: string[] = [];
  const call = (name: string, answer: number) => async () => {
    begun.push(name);
    return answer;
  };
  return { begun, call };
}

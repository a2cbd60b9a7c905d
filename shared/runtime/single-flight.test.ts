import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lazily, singleFlightByKey } from './single-flight.ts';

/** Waits as long as a run takes to begin. */
const turns = async () => {
  await turn();
  await turn();
};

/** Runs that end on demand, each with its number. */
function runs() {
  const begun: { question: string; end: PromiseWithResolvers<void> }[] = [];
  const request = singleFlightByKey(async (question: string) => {
    const number = begun.length + 1;
    const end = Promise.withResolvers<void>();
    begun.push({ question, end });
    await end.promise;
    return `${question} ${number}`;
  });
  const end = async (number: number, error?: Error) => {
    const { end } = begun[number - 1] ?? {};
    if (error) end?.reject(error);
    else end?.resolve();
    await turns();
    await turn();
  };
  return { begun, ask: request, end };
}

test('calls with the same key in one turn of the event loop, or the next, share a run', async () => {
  const { begun, ask: request, end } = runs();
  const answers = [request('a', 'a'), request('b', 'b')];
  await turn();
  expect(begun).toHaveLength(0);
  answers.splice(1, 0, request('a', 'a'));
  await turn();
  expect(begun.map(({ question }) => question)).toEqual(['a', 'b']);
  await end(1);
  await end(2);
  expect(await Promise.all(answers)).toEqual(['a 1', 'a 1', 'b 2']);
});

test('calls with the same key during a run share the next run, which starts after all of them', async () => {
  const { begun, ask: request, end } = runs();
  const first = request('a', 'a');
  await turns();
  const late = [request('a', 'a'), request('a', 'a')];
  await turns();
  expect(begun).toHaveLength(1);
  await end(1);
  expect(begun).toHaveLength(2);
  await end(2);
  expect([await first, ...(await Promise.all(late))]).toEqual(['a 1', 'a 2', 'a 2']);
});

test('a failed run rejects only its own callers', async () => {
  const { ask: request, end } = runs();
  const first = request('a', 'a');
  await turns();
  const late = request('a', 'a');
  const failed = expect(first).rejects.toThrow('down');
  await end(1, new Error('down'));
  await failed;
  await end(2);
  expect(await late).toBe('a 2');
});

test('a call after all runs have ended starts a new run', async () => {
  const { ask: request, end } = runs();
  const first = request('a', 'a');
  await turns();
  await end(1);
  expect(await first).toBe('a 1');
  const second = request('a', 'a');
  await turns();
  await end(2);
  expect(await second).toBe('a 2');
});

test('a lazy value is created once, for concurrent and later callers', async () => {
  let times = 0;
  const get = lazily(async () => {
    times += 1;
    return {};
  });

  const [first, second] = await Promise.all([get(), get()]);

  expect(second).toBe(first);
  expect(await get()).toBe(first);
  expect(times).toBe(1);
});

test('a lazy value that could not be created is created on the next call', async () => {
  let fails = true;
  const get = lazily(async () => {
    if (fails) throw new Error('no file descriptor left');
    return 'made';
  });

  const refused = [get(), get()];
  for (const one of refused) await expect(one).rejects.toThrow('no file descriptor left');
  fails = false;
  expect(await get()).toBe('made');
});

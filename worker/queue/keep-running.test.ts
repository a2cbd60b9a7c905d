import { expect, test } from 'vitest';
import { captureLog } from '../../test/support/log.ts';
import { keepRunning } from './keep-running.ts';

/** Returns a runner that runs until it is stopped. */
function runner() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, stop: async () => resolve() };
}

test('a queue that is stopped during a restart is stopped once it has started', async () => {
  const beganAnew = Promise.withResolvers<void>();
  const startedAnew = Promise.withResolvers<ReturnType<typeof runner>>();
  const ended = { promise: Promise.resolve(), stop: () => Promise.reject(new Error('it is over')) };
  let starts = 0;
  const queue = await keepRunning(captureLog().logger, async () => {
    starts++;
    if (starts === 1) return ended;
    beganAnew.resolve();
    return startedAnew.promise;
  });
  await beganAnew.promise;
  const stopped = queue.stop();
  const second = runner();
  startedAnew.resolve(second);
  await stopped;
  await second.promise;
  expect(starts).toBe(2);
});

test('a queue whose restart fails at first is started later', async () => {
  const startedAnew = Promise.withResolvers<void>();
  let starts = 0;
  const queue = await keepRunning(captureLog().logger, async () => {
    starts++;
    if (starts === 1)
      return { promise: Promise.reject(new Error('the database is away')), stop: async () => {} };
    if (starts === 2) throw new Error('it still is');
    startedAnew.resolve();
    return runner();
  });
  await startedAnew.promise;
  await queue.stop();
  expect(starts).toBe(3);
});

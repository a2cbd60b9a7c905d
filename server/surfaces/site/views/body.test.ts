import { expect, test } from 'vitest';
import { createResponseCache } from '../../../cache/response-cache.ts';
import { bodiesHtml } from './body.ts';

/** Turns of Node's loop while `work` is done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

test('between the bodies of a page the process does its other work', async () => {
  const visit = {
    responses: createResponseCache(1_000_000),
    origin: 'https://a.example',
    read: () => Promise.reject(new Error('there is nothing to read')),
  };
  const bodies = Array.from({ length: 10 }, (_, index) => ({ content: `*${index}*` }));
  expect(await turnsDuring(() => bodiesHtml(visit, bodies))).toBeGreaterThanOrEqual(9);
});

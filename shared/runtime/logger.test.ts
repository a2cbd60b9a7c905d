import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { requestForPeople, together } from './logger.ts';

test.for([
  [{ method: 'GET', route: '/api/v1/posts', status: 200, ms: 3.2 }, 'GET /api/v1/posts 200 3 ms'],
  [
    { method: 'GET', route: null, path: '/api/*', status: 404, error: 'not_found', ms: 0.4 },
    'GET /api/* 404 not_found 0 ms',
  ],
  [
    {
      method: 'POST',
      route: '/trpc/*',
      calls: ['v1.posts.list', 'v1.posts.get not_found'],
      status: 207,
      ms: 12,
    },
    'POST /trpc/* v1.posts.list, v1.posts.get not_found 207 12 ms',
  ],
] as const)('a request is shown to people as one short line: %j', ([line, shown]) => {
  expect(requestForPeople(JSON.stringify({ msg: 'request', ...line }))).toBe(shown);
});

test('only request lines get the short form: `requestForPeople` returns null for other log lines', () => {
  expect(requestForPeople(JSON.stringify({ msg: 'stopping' }))).toBeNull();
});

test('lines of many turns of the event loop are written together, and warnings immediately', async () => {
  const written: string[] = [];
  const log = pino({ base: null, timestamp: false }, together({ write: (text) => void written.push(text) }));
  for (let n = 0; n < 100; n++) {
    log.info(`${n}`);
    await turn();
  }
  expect(written.length).toBeLessThan(50);
  log.warn('slow');
  const lines = () => written.join('').split('\n').slice(0, -1);
  expect(lines()).toHaveLength(101);
  expect(written.at(-1)).toContain('slow');
  const writes = written.length;
  log.info('x'.repeat(100_000));
  expect(written).toHaveLength(writes + 1);
  log.info('last');
  await expect.poll(() => lines().at(-1)).toContain('last');
});

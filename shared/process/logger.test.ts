import { expect, test } from 'vitest';
import { requestForPeople } from './logger.ts';

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
] as const)('a request is one short line for people: %j', ([line, shown]) => {
  expect(requestForPeople(JSON.stringify({ msg: 'request', ...line }))).toBe(shown);
});

test('whatever else is logged is left as it is', () => {
  expect(requestForPeople(JSON.stringify({ msg: 'stopping' }))).toBeNull();
});

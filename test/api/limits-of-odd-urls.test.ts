import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

/** Sends the path unchanged: `fetch` would normalize it. */
async function send(baseUrl: string, path: string, key: string) {
  const { hostname, port } = new URL(baseUrl);
  const sent = request({ hostname, port, path, headers: { authorization: `Bearer ${key}` } });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return { status: response.statusCode, remaining: response.headers['x-ratelimit-remaining'] };
}

const calls = 'v1.posts.list,v1.posts.list';

test.for([
  ['an encoded letter', '/%61pi/v1/posts', 200, '9'],
  ['a target with a host', 'http://elsewhere.example/api/v1/posts', 200, '9'],
  ['an encoded letter on RPC', '/%74rpc/v1.posts.list', 200, '9'],
  ['an encoded comma', '/trpc/v1.posts.list%2Cv1.posts.list?batch=1', 200, '8'],
  ['a comma encoded twice', '/trpc/v1.posts.list%252Cv1.posts.list?batch=1', 200, '8'],
  ['a second question mark', `/trpc/${calls}?x=?&batch=1`, 200, '8'],
  ['a fragment', `/trpc/${calls}?batch=1#`, 200, '8'],
] as const)(
  'an unusual spelling of a URL counts in the rate limit: %s',
  async ([, path, status, remaining]) => {
    await using app = await startApp({ limits: {} });
    expect(await send(app.baseUrl, path, await app.seed.key())).toEqual({ status, remaining });
  },
);

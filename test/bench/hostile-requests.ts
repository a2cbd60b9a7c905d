import { setTimeout as delay } from 'node:timers/promises';

/** Source of numbers from 0 up to 1. */
type Random = () => number;

interface HostileRequest {
  method: string;
  path: string;
  body?: string;
}

const parallel = 20;

/**
 * Sends requests of all kinds, most of them invalid, for some seconds. Returns their number. Every run sends the same
 * ones.
 */
export async function sendHostile(url: string, headers: Record<string, string>, seconds: number) {
  const random = numbersFrom(7);
  const end = performance.now() + seconds * 1_000;
  let sent = 0;
  const sendInTurn = async () => {
    while (performance.now() < end) {
      const { method, path, body } = nextRequest(random);
      sent += 1;
      const init = { method, headers: { ...headers, 'content-type': 'application/json' } };
      await fetch(url + path, body === undefined ? init : { ...init, body })
        .then((answer) => answer.arrayBuffer())
        // Waits after a refused connection before the next attempt.
        .catch(() => delay(10));
    }
  };
  await Promise.all(Array.from({ length: parallel }, sendInTurn));
  return sent;
}

const nextRequest = (random: Random): HostileRequest => pick(kinds, random)(random);

const kinds: ((random: Random) => HostileRequest)[] = [
  (random) => ({
    method: 'GET',
    path: `/api/v1/posts?limit=${upTo(120, random)}&sort=${pick(sorts, random)}`,
  }),
  (random) => ({
    method: 'GET',
    path: `/api/v2/posts?page=${upTo(20, random)}&per_page=${upTo(210, random)}`,
  }),
  (random) => ({ method: 'GET', path: `/api/v1/posts/post-${upTo(2_000, random)}` }),
  (random) => ({ method: 'GET', path: `/api/${word(random, 3_000)}` }),
  (random) => ({ method: 'GET', path: `/api/v1/posts?cursor=${word(random, 8_000)}&limit=100` }),
  (random) => ({
    method: 'GET',
    path: `/trpc/${batch('v1.posts.list', 20)}?batch=1&input=${inputs(random)}`,
  }),
  (random) => ({ method: 'GET', path: `/trpc/v1.posts.list?input=${encodeURIComponent(word(random, 500))}` }),
  (random) => ({ method: 'POST', path: '/api/v1/posts', body: post(random, 2_000) }),
  (random) => ({ method: 'POST', path: '/api/v1/posts', body: word(random, 1_000_000) }),
  (random) => ({ method: 'POST', path: '/api/v1/posts', body: JSON.stringify(word(random, 3_000_000)) }),
  (random) => ({ method: 'POST', path: '/api/v1/posts', body: deep(upTo(100_000, random)) }),
  (random) => ({ method: 'POST', path: '/api/v1/projects', body: unlisted(upTo(20_000, random)) }),
  (random) => ({ method: 'PATCH', path: `/api/v1/posts/${upTo(2_000, random)}`, body: post(random, 2_000) }),
  (random) => ({ method: 'POST', path: '/trpc/v1.posts.create', body: post(random, 2_000) }),
  () => ({ method: 'POST', path: '/mcp', body: call('tools/list', {}) }),
  (random) => ({
    method: 'POST',
    path: '/mcp',
    body: call('tools/call', { name: 'list_posts', arguments: { limit: upTo(100, random) } }),
  }),
];

const sorts = ['created', '-created', 'updated', '-updated', 'title', '-title', 'no-such-order'];

const post = (random: Random, length: number) =>
  JSON.stringify({ title: word(random, 200), content: word(random, length), tags: [word(random, 20)] });

const deep = (levels: number) => `{"title":${'['.repeat(levels)}${']'.repeat(levels)}}`;

const unlisted = (fields: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: fields }, (_, at) => [`field_${at}`, at])));

const batch = (name: string, calls: number) => Array.from({ length: calls }, () => name).join(',');

function inputs(random: Random) {
  const each = Array.from({ length: 20 }, (_, at) => [at, { json: { limit: upTo(20, random) } }]);
  return encodeURIComponent(JSON.stringify(Object.fromEntries(each)));
}

const call = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

const upTo = (max: number, random: Random) => 1 + Math.floor(random() * max);

const word = (random: Random, max: number) =>
  Math.floor(random() * 2 ** 48)
    .toString(36)
    .repeat(Math.ceil(upTo(max, random) / 8));

function pick<T>(values: readonly T[], random: Random): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}

/** Creates a deterministic source of numbers from a seed (mulberry32). */
function numbersFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

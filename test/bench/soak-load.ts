import { setTimeout as delay } from 'node:timers/promises';
import { Agent, fetch, request } from 'undici';
import { z } from 'zod';
import { followPath } from '../support/follower.ts';
import { steadily } from './steadily.ts';

interface Target {
  url: string;
  authorization: { authorization: string };
}

/** Number of created records that exist at the same time. */
const standing = 200;

/** Maximum number of connections. The server's open files must not depend on the machine's speed. */
const connections = 32;

/** Number of different words in titles: a search index keeps each word that it ever contained. */
const words = 1_000;

/** Creates a steady mix of writes and reads. Of every two writes one creates a post and one deletes an old one. */
export function createLoad({ url, authorization }: Target, perSecond: number) {
  const created: string[] = [];
  let writes = 0;
  let failures = 0;
  const dispatcher = new Agent({ connections });
  const call = async (address: string, method: 'GET' | 'POST' | 'DELETE', body: string | null = null) => {
    const headers = { ...authorization, ...(body !== null && { 'content-type': 'application/json' }) };
    const answer = await fetch(address, { method, headers, body, dispatcher });
    if (!answer.ok) throw new Error(`${method} ${address} answered ${answer.status}`);
    return answer.json();
  };
  const write = async (n: number) => {
    const body = { title: `Soak ${n % words}`, content: 'lorem ipsum '.repeat(170) };
    const made = await call(`${url}/api/v1/posts`, 'POST', JSON.stringify(body));
    created.push(z.object({ id: z.string() }).parse(made).id);
    writes += 1;
    if (created.length <= standing) return;
    await call(`${url}/api/v1/posts/${created.shift()}`, 'DELETE');
    writes += 1;
  };
  const paths = [
    '/api/v1/posts',
    '/api/v1/posts/post-100',
    '/api/v1/posts?sort=title&limit=50',
    '/api/v1/profile',
  ];
  const read = (n: number) => call(url + paths[n % paths.length], 'GET');
  const counted = (work: (n: number) => Promise<unknown>) => async (n: number) => {
    await work(n).catch(() => {
      failures += 1;
    });
  };
  return {
    writes: () => writes,
    /** Number of calls without a success status, for example because the database was busy. */
    failures: () => failures,
    run: (seconds: number) =>
      Promise.all([
        steadily(seconds, perSecond / 2, counted(write)),
        steadily(seconds, perSecond, counted(read)),
      ]),
  };
}

/** Follows events until `ending` aborts, without storing them. Reconnects when it is cut off. */
export async function followAlong({ url, authorization }: Target, ending: AbortSignal) {
  while (!ending.aborted) {
    const follow = async () => {
      const { body } = await request(url + followPath(), {
        headers: authorization,
        bodyTimeout: 0,
        signal: ending,
      });
      for await (const _ of body);
    };
    await follow().catch(() => delay(200));
  }
}

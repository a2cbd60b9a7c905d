import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { followPath } from '../support/follower.ts';
import { post } from './service.ts';
import { steadily } from './steadily.ts';

interface Target {
  url: string;
  authorization: { authorization: string };
}

/** Records that are there at once of those that the load creates. */
const standing = 200;

/** A steady mix of writes and reads. Of every two writes one creates a post and one deletes an old one. */
export function createLoad({ url, authorization }: Target, perSecond: number) {
  const created: string[] = [];
  let writes = 0;
  let failures = 0;
  const write = async (n: number) => {
    const body = { title: `Soak ${writes}-${n}`, content: 'lorem ipsum '.repeat(170) };
    const made = await post(`${url}/api/v1/posts`, authorization, body);
    created.push((made as { id: string }).id);
    writes += 1;
    if (created.length <= standing) return;
    await expectOk(`${url}/api/v1/posts/${created.shift()}`, 'DELETE');
    writes += 1;
  };
  const paths = [
    '/api/v1/posts',
    '/api/v1/posts/post-100',
    '/api/v1/posts?sort=title&limit=50',
    '/api/v1/profile',
  ];
  const read = (n: number) => expectOk(url + paths[n % paths.length], 'GET');
  const expectOk = async (address: string, method: 'GET' | 'DELETE') => {
    const answer = await fetch(address, { method, headers: authorization });
    if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
    await answer.arrayBuffer();
  };
  const counted = (work: (n: number) => Promise<void>) => (n: number) =>
    work(n).catch(() => {
      failures += 1;
    });
  return {
    writes: () => writes,
    /** Calls that were not answered with a success, as where the database had no time. */
    failures: () => failures,
    run: (seconds: number) =>
      Promise.all([
        steadily(seconds, perSecond / 2, counted(write)),
        steadily(seconds, perSecond, counted(read)),
      ]),
  };
}

/** Follows the events until told, and keeps none; comes back when it is cut off. */
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

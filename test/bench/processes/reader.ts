/**
 * Process that alternately reads a list and single posts, with a pause after each. It is separate and discards its
 * input, because a busy process would measure its own garbage collection.
 */
import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

const { URL: url = '', AUTHORIZATION: authorization = '', POSTS } = process.env;

/** Pause between two reads, in milliseconds. It makes this a single reader instead of a load. */
const pauseMs = 4;

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const read = (path: string) =>
  new Promise<void>((resolve, reject) => {
    const request = get(url + path, { agent, headers: { authorization } }, (answer) => {
      answer.resume().on('end', resolve).on('error', reject);
      if (answer.statusCode !== 200) reject(new Error(`${path} answered ${answer.statusCode}`));
    });
    request.on('error', reject);
  });

async function readFor(seconds: number) {
  const tookMs: number[] = [];
  const endsAt = performance.now() + seconds * 1_000;
  for (let n = 0; performance.now() < endsAt; n++) {
    const startedAt = performance.now();
    await read(n % 2 ? '/api/v1/posts' : `/api/v1/posts/post-${1 + (n % Number(POSTS))}`);
    tookMs.push(performance.now() - startedAt);
    await delay(pauseMs);
  }
  return tookMs;
}

process.on('message', async (message) => process.send?.(await readFor(z.number().parse(message))));
process.on('SIGTERM', () => process.exit());
process.send?.('ready');

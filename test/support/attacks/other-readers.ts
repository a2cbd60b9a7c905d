import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { StoreDeps } from '../../../server/api/deps.ts';
import { seedSite } from '../../bench/site.ts';
import { firefox } from '../rpc.ts';

const host = 'others.example';

/** Creates a site with posts that does not belong to the attacker. */
export async function createOthers(deps: StoreDeps, posts: number) {
  const { siteId, key } = await seedSite(deps, posts);
  await deps.database.em.execute('update sites set custom_domain = ? where id = ?', [host, siteId]);
  return { key, posts };
}

/** Returns readers of that site. They request a cached page, an uncached page and a list in turn. */
export function createReaders(baseUrl: string, { key, posts }: { key: string; posts: number }) {
  const pool = new Pool(baseUrl, { connections: 1 });
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const began = performance.now();
    const { statusCode, body } = await pool.request({
      path,
      method: 'GET',
      headers: { host, 'user-agent': firefox, ...headers },
    });
    for await (const _ of body);
    if (statusCode !== 200) throw new Error(`${path} returned ${statusCode}`);
    return performance.now() - began;
  };
  let next = 1;
  return {
    /** Reads until `over` aborts, at least `least` times, and returns the duration of each answer in milliseconds. */
    async read(over: AbortSignal, min = 5): Promise<number[]> {
      const took: number[] = [];
      for (let round = 0; round < min || !over.aborted; round += 1) {
        next = (next % posts) + 1;
        took.push(await read('/posts/post-1'));
        took.push(await read(`/posts/post-${next}`));
        took.push(await read('/api/v1/posts', { authorization: `Bearer ${key}` }));
        await delay(4);
      }
      return took;
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

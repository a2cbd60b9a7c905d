import { setTimeout as delay } from 'node:timers/promises';
import { createCaller } from '../support/http.ts';

/** Maximum polls per minute and key: more than the other requests of a round need. */
const max = 100;

export const pollLimit = { RATE_LIMIT_POLL: `${max}/${max}` };

/** Calls all servers in turns with a key, as often as its limit allows. */
export function createLimitedKey(key: string, baseUrls: readonly string[]) {
  const callers = baseUrls.map((baseUrl) => createCaller(baseUrl));
  const allowed: { began: number; ended: number }[] = [];
  return {
    /**
     * Polls each server until it refuses. Calls that a server answers without counting, while it has no
     * database, are ignored.
     */
    async useUp() {
      for (const call of [...callers, ...callers]) {
        const endsAt = performance.now() + 20_000;
        for (let status = 200; status !== 429 && performance.now() < endsAt; ) {
          const began = performance.now();
          const answer = await call('GET', '/api/v1/webhooks/poll/content.deleted', { key });
          const isCounted = answer.headers.get('x-ratelimit-remaining') !== String(max);
          status = answer.status;
          if (status === 200 && isCounted) allowed.push({ began, ended: performance.now() });
          else await delay(50);
        }
      }
    },
    /** Returns by how many calls the limit was exceeded in any minute. */
    over: () =>
      Math.max(
        ...allowed.map(({ began: from }) => {
          const within = allowed.filter(({ began, ended }) => began >= from && ended <= from + 60_000);
          return Math.max(0, within.length - max);
        }),
      ),
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import { createCaller } from '../support/http.ts';

/** In any minute, by key: more than what else a round asks. */
const most = 100;

export const pollLimit = { RATE_LIMIT_POLL: `${most}/${most}` };

/** A key that takes what its limit leaves, at all servers in turns. */
export function createLimitedKey(key: string, baseUrls: readonly string[]) {
  const callers = baseUrls.map((baseUrl) => createCaller(baseUrl));
  const allowed: { began: number; ended: number }[] = [];
  return {
    /** Until each server refuses. What one lets through uncounted, as it has no database yet, is none of the limit. */
    async useUp() {
      for (const call of [...callers, ...callers]) {
        const endsAt = performance.now() + 20_000;
        for (let status = 200; status !== 429 && performance.now() < endsAt; ) {
          const began = performance.now();
          const answer = await call('GET', '/api/v1/webhooks/poll/content.deleted', { key });
          const isCounted = answer.headers.get('x-ratelimit-remaining') !== String(most);
          status = answer.status;
          if (status === 200 && isCounted) allowed.push({ began, ended: performance.now() });
          else await delay(50);
        }
      }
    },
    /** How many more than may be were let through in a minute. */
    over: () =>
      Math.max(
        ...allowed.map(({ began: from }) => {
          const within = allowed.filter(({ began, ended }) => began >= from && ended <= from + 60_000);
          return Math.max(0, within.length - most);
        }),
      ),
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import { type EventFollower, startFollower } from './follower.ts';

/** Pause after a refusal, in milliseconds. */
const pauseMs = 50;

/** Follows events like clients do that reconnect and continue after they are cut off. */
export async function follow(baseUrl: string, key: string) {
  const titles: string[] = [];
  let isOver = false;
  let current: EventFollower | null = await startFollower(baseUrl, { key });
  const going = (async () => {
    let headers = {};
    while (!isOver) {
      current ??= await startFollower(baseUrl, { key, headers }).catch(() => null);
      if (!current) {
        await delay(pauseMs);
        continue;
      }
      const followed = current;
      await followed.ended();
      headers = { 'last-event-id': followed.lastId() };
      titles.push(...updates(followed));
      current = null;
    }
  })();
  return {
    titles: () => [...titles, ...(current ? updates(current) : [])],
    async [Symbol.asyncDispose]() {
      isOver = true;
      await current?.[Symbol.asyncDispose]();
      await going;
    },
  };
}

const updates = (follower: EventFollower) =>
  follower.events().flatMap(({ event, data }) => (event === 'content.updated' ? [data.title] : []));

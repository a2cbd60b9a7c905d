import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';

/** A network that is slow for calls of one procedure: their answers wait until they are let go. */
export async function holdAnswers(page: Page, procedure: string) {
  const answered: (() => Promise<void>)[] = [];
  const bodies: string[] = [];
  let isOpen = false;
  await page.route(`**/trpc/${procedure}*`, async (route: Route) => {
    bodies.push(route.request().postData() ?? '');
    const response = await route.fetch();
    if (isOpen) return route.fulfill({ response });
    answered.push(() => route.fulfill({ response }));
  });
  return {
    calls: () => bodies.length,
    /** What was sent with each call. */
    bodies,
    [Symbol.asyncDispose]: () => page.unrouteAll({ behavior: 'ignoreErrors' }),
    /** Until the service has done what was asked of it. */
    done: (count: number) => expect.poll(() => answered.length).toBe(count),
    letGo: async () => {
      isOpen = true;
      for (const answer of answered.splice(0)) await answer();
    },
  };
}

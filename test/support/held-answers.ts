import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';

/** Holds back the answers to one procedure, like a slow network, until `letGo` is called. */
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
    /** Body of each call. */
    bodies,
    [Symbol.asyncDispose]: () => page.unrouteAll({ behavior: 'ignoreErrors' }),
    /** Waits until the service has answered this many calls. */
    done: (count: number) => expect.poll(() => answered.length).toBe(count),
    letGo: async () => {
      isOpen = true;
      for (const answer of answered.splice(0)) await answer();
    },
  };
}

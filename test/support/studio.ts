import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import type { TestApp } from './app.ts';
import { ownerClient } from './rpc.ts';
import { noTraffic } from './watched-browser.ts';

/** Opens a screen of the studio as a signed-in owner, of `login` if given. Returns the session's token. */
export async function signIn(app: TestApp, page: Page, screen: string, login?: Login): Promise<string> {
  const token = login ? await tokenOf(app, login) : await app.seed.ownerToken();
  const { owner, role, site } = await ownerClient(app.baseUrl, token).admin.session.get.query();
  const { id: ownerId, email, name } = owner;
  const session = JSON.stringify({ token, email, name, ownerId, siteId: site.id, role });
  // Only for this load: the studio keeps the session itself.
  await using _stored = await page.addInitScript((kept) => {
    if (self === top) sessionStorage.setItem('studio:session', kept);
  }, session);
  await page.goto(`${app.baseUrl}/studio${screen}`);
  return token;
}

async function tokenOf(app: TestApp, login: Login): Promise<string> {
  const { body } = await app.post('/api/admin/session', { body: login });
  return (body as { token: string }).token;
}

interface Login {
  email: string;
  password: string;
}

interface Router {
  navigate(to: { href: string }): Promise<void>;
  state: { status: string; location: { href: string }; resolvedLocation?: { href: string } };
}

/** Navigates to another screen as links do, because reloading the studio takes several times as long. */
export async function openScreen(page: Page, screen: string): Promise<void> {
  await page.evaluate(async (href) => {
    // The router itself sets this variable.
    const { navigate } = Reflect.get(globalThis, '__TSR_ROUTER__') as Router;
    await navigate({ href });
  }, screen);
  await page.waitForFunction(() => {
    const { state } = Reflect.get(globalThis, '__TSR_ROUTER__') as Router;
    return state.status === 'idle' && state.resolvedLocation?.href === state.location.href;
  });
}

/** Waits until a screen is complete: its heading is visible, no placeholder is left, and all requests have ended. */
export async function wholeScreen(page: Page): Promise<void> {
  await page.locator('h1, h2, textarea').locator('visible=true').first().waitFor();
  await noTraffic(page);
  await page.waitForFunction(() => document.querySelector('main .mantine-Skeleton-root') === null);
}

/** Holds back the answers to one procedure, like a slow network, until `letGo` is called. */
export async function delayAnswers(page: Page, procedure: string) {
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

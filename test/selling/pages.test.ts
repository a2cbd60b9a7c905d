import { afterAll, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { startSellingSite } from '../support/selling-site.ts';
import { byColour, findViolations } from '../support/watched-browser.ts';

const app = await startSellingSite();
const browser = await startBrowser();
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

test('pages of buying fit a phone in German, and axe finds nothing wrong with them, light or dark', async () => {
  const { studio, visit } = app;
  await studio.site.update.mutate({
    language: 'de',
    selling: { note: 'inkl. MwSt.', terms_url: 'https://ada.example/agb' },
  });
  const post = await app.sellPost({ amount: 123_456.5 });
  const member = await app.sellMembership({ amount: 123_456.5, trial_days: 14 });
  await app.sellMembership({ amount: 999_999.99, interval: 'year' });
  const begin = async (email: string) =>
    String((await visit(`/buy/${post.id}`, { form: { email } })).headers.location);
  const [open, paid] = [await begin('a@example.com'), await begin('b@example.com')];
  await visit(paid, { form: {} });
  const done = paid.replace('demo', 'done');
  const paths = ['/posts/sleep', '/posts/numbers', '/courses/locks', `/buy/${post.id}`, `/buy/${member.id}`];
  const page = await browser.open({ javaScriptEnabled: true, bypassCSP: true });
  for (const path of [...paths, open, open.replace('demo', 'done'), done, `${done}/sign-in`]) {
    await page.goto(app.baseUrl + path);
    for (const width of [390, 1_280]) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme: 'light' });
      expect([path, width, await findViolations(page)]).toEqual([path, width, []]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect([path, width, await findViolations(page, byColour)]).toEqual([path, width, []]);
      expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, width]);
    }
  }
});

import { expect, test } from 'vitest';
import { launchChromium } from '../support/browser.ts';
import { startDemoSite } from '../support/demo-site.ts';
import { startMailServer } from '../support/mail-server.ts';

const gated = '/posts/reading-a-query-plan-over-coffee';
const secret = 'Start at the most indented line';
const email = 'lin@example.com';

test.for([
  [{ keepsPages: true, javaScriptEnabled: false }],
  [{ keepsPages: true, javaScriptEnabled: true }],
  [{ keepsPages: false, javaScriptEnabled: false }],
])('after signing out, the browser history shows no member page: %o', async ([settings]) => {
  await using mail = await startMailServer();
  await using app = await startDemoSite(mail.url);
  const browser = await launchChromium([], settings);
  try {
    const page = await (await browser.newContext(settings)).newPage();
    await page.goto(`${app.baseUrl}/sign-in`);
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('button', { name: 'Send me a code' }).click();
    await page.getByLabel('Code').waitFor();
    await page.getByLabel('Code').fill(mail.codeFor(email));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(email).waitFor();
    await page.goto(app.baseUrl + gated);
    await page.getByText(secret).waitFor();
    await page.goto(`${app.baseUrl}/posts`);
    await page.goto(app.baseUrl + gated);
    await page.goto(`${app.baseUrl}/account`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${app.baseUrl}/`);
    const seen: [url: string, isSecret: boolean][] = [];
    const look = async () => {
      const text = (await page.locator('body').textContent()) ?? '';
      const isSecret = text.includes(secret) || text.includes(email) || text.includes('Sign out');
      seen.push([page.url().slice(app.baseUrl.length), isSecret]);
    };
    // Playwright reports no navigation to a page in the back/forward cache, so the position in the browser's history is
    // read.
    const devtools = await page.context().newCDPSession(page);
    const position = async () => (await devtools.send('Page.getNavigationHistory')).currentIndex;
    const readyState = () => page.evaluate(() => document.readyState).catch(() => 'gone');
    const last = await position();
    const first = Math.max(0, last - 7);
    for (const step of [-1, 1]) {
      for (let at = step < 0 ? last - 1 : first + 1; at >= first && at <= last; at += step) {
        await page.evaluate((by) => history.go(by), step).catch(() => {});
        await expect.poll(position).toBe(at);
        await expect.poll(readyState).toBe('complete');
        await look();
      }
    }
    expect(seen.map(([url]) => url)).toContain(gated);
    expect(seen.filter(([, isSecret]) => isSecret)).toEqual([]);
  } finally {
    await browser.close();
  }
});

import { afterAll, expect, test } from 'vitest';
import { getMailKey } from '../../shared/newsletter/mail-key.ts';
import { confirmToken, unsubscribeToken } from '../../shared/newsletter/mail-tokens.ts';
import { startBrowser } from '../support/browser.ts';
import { startMailingSite } from '../support/mailing-site.ts';
import { findViolations } from '../support/watched-browser.ts';

const site = await startMailingSite();
const browser = await startBrowser();
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});
const { siteId } = site;
const key = await getMailKey(site.deps, siteId);

const linkFor = (email: string) => {
  const token = unsubscribeToken(key, { siteId, subscriberId: 'mb3k9x2a7f0q1zd', email });
  return `${site.baseUrl}/newsletter/unsubscribe/${token}`;
};

test.for([
  ['in the layout of its site', 390, 'light'],
  ['in the layout of its site', 1280, 'dark'],
  ['bare, where the host is not the site’s', 390, 'dark'],
  ['bare, where the host is not the site’s', 1280, 'light'],
] as const)(
  'a reader unsubscribes by an accessible button: %s, %i px, %s',
  async ([position, width, colorScheme]) => {
    // With a second site, an unknown host no longer shows the first.
    if (position.startsWith('bare')) await site.seed.site({ custom_domain: `other-${width}.example.com` });
    const viewport = { width, height: 700 };
    const page = await browser.open({ viewport, colorScheme, javaScriptEnabled: true, bypassCSP: true });
    await page.goto(linkFor(`${width}@example.com`));
    expect(await page.locator('header.top').count()).toBe(position.startsWith('bare') ? 0 : 1);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByRole('heading', { name: 'You are unsubscribed.' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  },
);

test.for([
  [390, 'dark'],
  [1280, 'light'],
] as const)('a reader confirms by an accessible button: %i px, %s', async ([width, colorScheme]) => {
  const [row] = await site.run<{ id: string }>(
    `insert into subscribers (site_id, id, email, name, source, status, soft_bounces, created)
     values (?, lpad(?, 15, 'a'), ?, '', '', 'pending', 0, now()) returning id`,
    [siteId, String(width), `${width}@example.com`],
  );
  const token = confirmToken(key, { siteId, subscriberId: row?.id ?? '', askedAt: site.clock.now() });
  const viewport = { width, height: 700 };
  const page = await browser.open({ viewport, colorScheme, javaScriptEnabled: true, bypassCSP: true });
  await page.goto(`${site.baseUrl}/newsletter/confirm/${token}`);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByRole('heading', { name: 'You are subscribed.' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBe(0);
});

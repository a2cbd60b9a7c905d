import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertViews } from '../../server/audience/analytics/store-views.ts';
import { dayAfter, dayOf } from '../../shared/db/page-views.ts';
import { startApp } from '../support/app.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('an owner filters views by page, source, campaign and days, and exports them', async () => {
  await using app = await startApp();
  app.clock.advance({ days: (Date.now() - app.clock.now().getTime()) / 86_400_000 });
  const today = dayOf(app.clock.now());
  const site_id = await app.seed.ownSite();
  const none = { referrer: '', utm_source: '', utm_medium: '', utm_campaign: '' };
  const launch = { utm_source: 'letter', utm_medium: 'email', utm_campaign: '=launch' };
  const view = (daysAgo: number, visitor: string, of: object) => ({
    ...{ site_id, day: dayAfter(today, -daysAgo), path: '/posts/a', ...none, visitor },
    ...of,
  });
  await insertViews(app.deps.database, [
    view(0, '1', { referrer: 'news.example' }),
    view(1, '2', { path: '/posts/b', ...launch }),
    view(1, '3', launch),
    view(10, '3', {}),
  ]);
  const { page, faults } = await browser.open();
  await signIn(app, page, '/');
  await page.getByRole('link', { name: 'Pages, sources and campaigns' }).click();
  const shown = page.getByRole('region', { name: 'Views and visitors over time' });
  const says = (text: string) => shown.getByText(text, { exact: true }).first().waitFor();
  await says('4');
  await shown.getByText('None in the previous period').first().waitFor();

  await page.getByText('7 days').click();
  await says('+200% compared with the previous period');
  await page.getByRole('link', { name: '/posts/a' }).click();
  await page.waitForURL(/path=%2Fposts%2Fa/);
  await says('+100% compared with the previous period');
  await page.getByRole('link', { name: '=launch · letter · email' }).click();
  await page.waitForURL(/utm_campaign=%3Dlaunch/);
  await page.getByRole('button', { name: 'Campaign: =launch · letter · email' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Page: /posts/a' }).click();
  await page.getByRole('link', { name: '/posts/b' }).waitFor();

  await page.getByLabel('To', { exact: true }).fill(dayAfter(today, -1));
  await page.waitForURL(new RegExp(`to=${dayAfter(today, -1)}`));
  await shown.getByText('Show as table').click();
  await expect.poll(() => shown.getByRole('row').count()).toBe(7);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download as CSV' }).click();
  const rows = (await readFile(await (await saved).path(), 'utf8')).split('\r\n');
  expect(rows.slice(0, 3)).toEqual([
    '\uFEFF"","","Views","Visitors"',
    `"Day (UTC)","${dayAfter(today, -6)}","0","0"`,
    `"Day (UTC)","${dayAfter(today, -5)}","0","0"`,
  ]);
  expect(rows.slice(6)).toEqual([
    `"Day (UTC)","${dayAfter(today, -1)}","2","2"`,
    '"Page","/posts/a","1",""',
    '"Page","/posts/b","1",""',
    `"Campaign","'=launch · letter · email","2",""`,
    '',
  ]);
  expect(faults).toEqual([]);
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { openScreen, signIn, wholeScreen } from '../support/studio.ts';
import { buildStudio, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

/** Opens a draft of a site with this time zone, in a browser with another one. */
async function openDraft(
  app: Awaited<ReturnType<typeof startApp>>,
  time_zone: string,
  browserZone = 'Asia/Tokyo',
) {
  const opened = await browser.open({ timezoneId: browserZone, locale: 'en-US' });
  const token = await signIn(app, opened.page, '/posts');
  const { studio } = ownerClient(app.baseUrl, token);
  await studio.site.update.mutate({ time_zone });
  const { id } = await studio.posts.create.mutate({ title: 'A boat in spring', is_draft: true });
  await opened.page.goto(`${app.baseUrl}/studio/posts/${id}`);
  return { ...opened, studio, id };
}

/** Types a time into the dialog that schedules the draft, and returns the text around the input. */
async function typeSchedule(page: Page, local: string) {
  await page.getByRole('button', { name: 'Schedule…' }).click();
  const input = page.getByLabel('Publish on');
  await input.fill(local);
  return { shown: await input.inputValue(), around: await page.getByRole('dialog').textContent() };
}

test('a schedule is typed and shown in the time zone of the site, which is named, not in that of the browser', async () => {
  await using app = await startApp();
  const { page, studio, id, faults } = await openDraft(app, 'America/New_York');
  const { around } = await typeSchedule(page, '2098-07-12T20:30');
  expect(around).toContain('Time zone: America/New York, EDT');
  await page.getByRole('button', { name: 'Schedule', exact: true }).click();
  await page.getByText('will be published on July 12, 2098 at 8:30 PM EDT').first().waitFor();
  await page.getByText('Scheduled for July 12, 2098 at 8:30 PM EDT').waitFor();
  expect(await studio.posts.get.query({ id })).toMatchObject({
    publish_at: new Date('2098-07-13T00:30:00Z'),
  });

  await openScreen(page, '/posts');
  await page.getByText('Scheduled for Jul 12, 2098').waitFor();
  expect(faults).toEqual([]);
});

test('a time that clocks skip moves forward by the gap, one that they show twice is the first, and both are shown', async () => {
  await using app = await startApp();
  const { page, studio, id } = await openDraft(app, 'America/New_York');
  // March 9, 2098 and November 2, 2098: Sundays on which clocks change at two.
  const skipped = await typeSchedule(page, '2098-03-09T02:30');
  expect([skipped.shown, skipped.around]).toEqual(['2098-03-09T03:30', expect.stringContaining('EDT')]);
  await page.getByRole('button', { name: 'Schedule', exact: true }).click();
  await page.getByText('Scheduled for March 9, 2098 at 3:30 AM EDT').waitFor();
  expect(await studio.posts.get.query({ id })).toMatchObject({
    publish_at: new Date('2098-03-09T07:30:00Z'),
  });

  const twice = await typeSchedule(page, '2098-11-02T01:30');
  expect([twice.shown, twice.around]).toEqual(['2098-11-02T01:30', expect.stringContaining('EDT')]);
  await page.getByRole('button', { name: 'Schedule', exact: true }).click();
  await page.getByText('Scheduled for November 2, 2098 at 1:30 AM EDT').waitFor();
  expect(await studio.posts.get.query({ id })).toMatchObject({
    publish_at: new Date('2098-11-02T05:30:00Z'),
  });
});

test('publication dates in lists and forms, and days of filters, are those of the time zone of the site', async () => {
  await using app = await startApp();
  const { page, studio } = await openDraft(app, 'America/Sao_Paulo');
  const late = await studio.posts.create.mutate({
    title: 'Late in July',
    published_at: new Date('2024-07-13T02:30:00Z'),
  });
  await studio.posts.create.mutate({ title: 'Later', published_at: new Date('2024-07-13T03:00:00Z') });
  await openScreen(page, '/posts?sort=-published_at');
  const cell = page.getByRole('row', { name: 'Late in July' }).locator('time');
  await cell.getByText('Jul 12, 2024').waitFor();
  expect(await cell.getAttribute('title')).toBe('July 12, 2024 at 11:30 PM GMT-3');

  await openScreen(page, '/posts?published_at_from=2024-07-13');
  await page.getByRole('row', { name: 'Later' }).waitFor();
  await wholeScreen(page);
  expect(await page.getByRole('row', { name: 'Late in July' }).count()).toBe(0);

  await openScreen(page, `/posts/${late.id}`);
  const input = page.getByLabel('Date', { exact: true });
  expect(await input.inputValue()).toBe('2024-07-12T23:30');
});

test('a new time zone applies to all screens, and times omit its name if the browser has the same', async () => {
  await using app = await startApp();
  const { page, studio, faults } = await openDraft(app, 'UTC', 'Asia/Kolkata');
  await studio.posts.create.mutate({ title: 'Late in July', published_at: new Date('2024-07-12T20:30:00Z') });
  const title = () => page.getByRole('row', { name: 'Late in July' }).locator('time').getAttribute('title');
  await openScreen(page, '/posts?sort=-published_at');
  await page.getByRole('row', { name: 'Late in July' }).waitFor();
  expect(await title()).toBe('July 12, 2024 at 8:30 PM UTC');

  await openScreen(page, '/settings');
  const input = page.getByRole('combobox', { name: 'Time zone' });
  expect(await input.inputValue()).toBe('UTC');
  for (const typed of ['america/sao_paulo', 'São Paulo']) {
    await input.fill(typed);
    await page.getByRole('option', { name: 'America/Sao Paulo' }).waitFor();
  }
  await input.fill('kolkata');
  await page.getByRole('option', { name: 'Asia/Kolkata' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Changes saved').waitFor();
  expect(await studio.site.get.query()).toMatchObject({ time_zone: 'Asia/Kolkata' });

  await openScreen(page, '/posts?sort=-published_at');
  await expect.poll(title).toBe('July 13, 2024 at 2:00 AM');
  expect(faults).toEqual([]);
});

test('dates without a time are the same in all time zones of site and browser, and days of analytics are in UTC', async () => {
  await using app = await startApp();
  for (const browserZone of ['Pacific/Pago_Pago', 'Pacific/Kiritimati']) {
    const { page, studio } = await openDraft(app, 'America/Sao_Paulo', browserZone);
    await studio.experience.create.mutate({
      company: 'Northwind',
      title: browserZone,
      start_date: '2021-01-01',
      end_date: '2022-03',
    });
    await openScreen(page, '/cv');
    await page.getByText('Northwind · Jan 1, 2021 – Mar 2022').first().waitFor();
    await openScreen(page, '/analytics');
    await page.getByText('Days are in UTC').waitFor();
  }
});

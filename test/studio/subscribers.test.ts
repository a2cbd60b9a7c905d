import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { startMailServer } from '../support/mail-server.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser, takeRefusal } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('an owner adds subscribers with and without confirmation, unsubscribes one and deletes one', async () => {
  await using mail = await startMailServer();
  await using app = await startApp({ smtpUrl: mail.url });
  const { page, faults } = await browser.open();
  await signIn(app, page, '/subscribers');
  await page.getByRole('heading', { name: 'No subscribers yet' }).waitFor();
  const add = async (email: string, isConfirmed: boolean) => {
    await page.getByRole('button', { name: 'Add subscriber' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
    if (isConfirmed) await dialog.getByLabel('This person asked me for the newsletter').check();
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add subscriber' }).click();
  };
  await add('grace@example.com', true);
  await page.getByText('grace@example.com subscribed').waitFor();
  await add('ada@example.com', false);
  await page.getByText('Confirmation email sent to ada@example.com').waitFor();
  const row = (email: string) => page.getByRole('row').filter({ hasText: email });
  await row('grace@example.com').getByText('Subscribed').waitFor();
  await row('ada@example.com').getByText('Unconfirmed').waitFor();

  const act = async (email: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${email}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
    await page.getByRole('dialog').getByRole('button', { name: action }).click();
  };
  await act('grace@example.com', 'Unsubscribe');
  await row('grace@example.com').getByText('Unsubscribed', { exact: true }).waitFor();
  await act('ada@example.com', 'Delete');
  await page.getByText('ada@example.com deleted').waitFor();
  expect(await row('ada@example.com').count()).toBe(0);

  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Subscribed', exact: true }).click();
  await page.getByRole('heading', { name: 'No results' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('an owner who adds an address that complained sees why that is not possible', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const siteId = await app.seed.ownSite();
  await app.deps.database.em.execute(
    `insert into subscribers (site_id, id, email, name, source, status, soft_bounces, created)
     values (?, '000000000000001', 'grace@example.com', '', '', 'complained', 0, now())`,
    [siteId],
  );
  await signIn(app, page, '/subscribers');
  await page.getByRole('button', { name: 'Add subscriber' }).click();
  await page.getByRole('textbox', { name: 'Email' }).fill('grace@example.com');
  await page.getByRole('dialog').getByRole('button', { name: 'Add subscriber' }).click();
  await page.getByText('Only they can subscribe again').waitFor();
  await takeRefusal(faults, 409);
});

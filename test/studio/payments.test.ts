import { afterAll, beforeAll, expect, test } from 'vitest';
import { startStripeSite } from '../support/selling-site.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, startWatchedBrowser, takeRefusal } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('an owner connects Stripe with a key, syncs, changes settings, and disconnects', async () => {
  await using app = await startStripeSite();
  const { page, faults } = await browser.open();
  await signIn(app, page, '/payments');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = page.getByRole('dialog');
  await button('Connect Stripe').click();
  const key = dialog.getByLabel('Restricted key', { exact: true });
  const save = (name: string) => dialog.getByRole('button', { name, exact: true }).click();
  await key.fill('pk_live_51QxExample');
  await save('Connect Stripe');
  await dialog.getByText(/^Must be a key of Stripe/).waitFor();
  const { key: limited } = app.stripe.createAccount({ permissions: { event: 'none' } });
  await key.fill(limited);
  await save('Connect Stripe');
  await dialog.getByText(/rak_event_read/).waitFor();
  await takeRefusal(faults, 400);
  expect(app.stripe.calls.map(({ method }) => method)).not.toContain('POST');
  await key.fill(app.account.key);
  await dialog.getByLabel('Accept promotion codes').check();
  await save('Connect Stripe');
  await page.getByText('Ada’s studio').waitFor();
  await page.getByText(/^This is a test key/).waitFor();
  expect(await app.connection()).toMatchObject({ promotion_codes: true, automatic_tax: false });
  await app.pass();
  await button('Sync now').click();
  await page.getByText('Syncing with Stripe').waitFor();
  expect(await app.connection()).toMatchObject({ listed_at: null });

  const other = app.stripe.createAccount({ name: 'Another' });
  await button('Change key or settings').click();
  await key.fill(other.key);
  await save('Save');
  await dialog.getByText(/another account or mode is connected/).waitFor();
  await takeRefusal(faults, 400);
  await dialog.getByLabel('Replace the connected account').check();
  await save('Save');
  await page.getByText('Another', { exact: true }).waitFor();

  await button('Disconnect').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect', exact: true }).click();
  await page.getByText('Stripe disconnected', { exact: true }).waitFor();
  await button('Connect Stripe').waitFor();
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(kept).not.toMatch(/rk_|pk_/);
  expect(faults).toEqual([]);
});

import { expect, test } from 'vitest';
import { startMailServer } from '../support/mail-server.ts';
import { startConnectedSite } from '../support/selling-site.ts';
import { startStripePages } from '../support/stripe-pages.ts';
import { startWatchedBrowser } from '../support/watched-browser.ts';

test('Chromium follows the forms of buying and of managing a membership to Stripe, and no page allows further origins', async () => {
  await using mail = await startMailServer();
  await using app = await startConnectedSite({ smtpUrl: mail.url, livemode: true });
  await using pages = await startStripePages(app.baseUrl);
  await using browser = await startWatchedBrowser();
  const { id } = await app.sellMembership();
  const { page, faults } = await browser.open();
  await page.goto(`${pages.url}/buy/${id}`);
  await page.getByLabel('Email').fill('grace@example.com');
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByRole('heading', { name: 'Pay here' }).waitFor();
  expect(pages.seen).toEqual([expect.stringMatching(/^\/c\/pay\/cs_live_/)]);
  await app.stripe.pay(app.sessions()[0]?.id ?? '');
  await app.passNow();
  await page.goto(`${pages.url}/sign-in`);
  await page.getByLabel('Email').fill('grace@example.com');
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await page.getByLabel('Code').fill(mail.codeFor('grace@example.com'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Manage or cancel' }).click();
  await page.getByRole('heading', { name: 'Pay here' }).waitFor();
  expect(pages.seen.at(-1)).toMatch(/^\/p\/session\//);
  expect(faults).toEqual([]);
  const formsOf = async (path: string) =>
    /form-action ([^;]+)/.exec(String((await app.visit(path)).headers['content-security-policy']))?.[1];
  expect(await formsOf(`/buy/${id}`)).toBe("'self' https://checkout.stripe.com");
  for (const path of ['/', '/posts/numbers', '/courses/locks', '/sign-in', '/newsletter'])
    expect([path, await formsOf(path)]).toEqual([path, "'self'"]);
});

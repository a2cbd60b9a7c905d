import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { startForbiddenServer } from '../support/forbidden-server.ts';
import { makeOutbox, newsletterTo } from '../support/outbox.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn, wholeScreen } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('an owner reads stored emails as their readers would, and nothing in them runs', async () => {
  await using outbox = await makeOutbox();
  await using app = await startApp({ outbox });
  const siteId = await app.seed.ownSite();
  await using trap = await startForbiddenServer();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/');
  await page.locator('summary').getByText('More').click();
  await page.getByRole('navigation', { name: 'Studio' }).getByRole('link', { name: 'Outbox' }).click();
  await page.getByText('each email is stored here').waitFor();
  expect(await findViolations(page)).toEqual([]);

  const { studio } = ownerClient(app.baseUrl, token);
  const content = 'See [my pages](https://example.com/pages).\n\n> In short.';
  const { id: post_id } = await studio.posts.create.mutate({ title: 'Why types pay', content });
  await studio.mailings.test.mutate({ post_id, to: ['grace@example.com'] });
  await outbox.keep({ kind: 'newsletter', siteId }, hostile(`http://127.0.0.1:${trap.port}`));
  await page.reload();
  const table = page.getByRole('table', { name: 'Outbox' });
  await table.waitFor();
  expect(await table.locator('tbody tr').allInnerTexts()).toEqual([
    expect.stringMatching(/^Hostile\s+ada@example.com\s+Newsletter/),
    expect.stringMatching(/^Why types pay\s+grace@example.com\s+Newsletter/),
  ]);

  await table.getByRole('link', { name: 'Why types pay' }).click();
  const frame = page.frameLocator('iframe[title="Why types pay"]');
  await frame.getByText('In short.').waitFor();
  const style = await frame
    .locator('td:has(> blockquote)')
    .evaluate((quote) => getComputedStyle(quote).borderLeftWidth);
  expect(style).toBe('3px');
  expect(faults).toEqual([]);
  expect(await findViolations(page)).toEqual([]);
  // The accessibility check also looks into the frame, which runs no scripts.
  faults.length = 0;
  await page.getByText('Plain text').click();
  expect(await page.getByRole('link', { name: 'https://example.com/pages' }).getAttribute('href')).toBe(
    'https://example.com/pages',
  );
  expect(faults).toEqual([]);

  await page.getByRole('link', { name: 'Outbox' }).last().click();
  await table.getByRole('link', { name: 'Hostile' }).click();
  await page.frameLocator('iframe[title="Hostile"]').getByText('Still text').waitFor();
  await expect.poll(() => faults.length).toBeGreaterThan(0);
  expect(await page.title()).toContain('Hostile');
  // Only what the browser refused to run or load.
  expect(faults.filter((fault) => !/sandboxed|policy|Policy/.test(fault))).toEqual([]);

  await page.goto(`${app.baseUrl}/studio/outbox/mb3k9x2a7f0q1zd`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await page.locator('iframe').count()).toBe(0);
  expect(trap.connections).toBe(0);
});

/** Tries to run scripts, load external resources and replace the page. */
const hostile = (elsewhere: string) =>
  Buffer.from(
    newsletterTo('ada@example.com', 'Hostile')
      .toString()
      .replace(
        '<p style',
        `<p>Still text</p><script>parent.document.title='taken'</script><img src="${elsewhere}/x.png" onerror="parent.document.title='taken'"><form action="${elsewhere}/"><input autofocus onfocus="top.location='${elsewhere}/'"></form><meta http-equiv="refresh" content="0;url=${elsewhere}/"><base href="${elsewhere}/"><link rel="stylesheet" href="${elsewhere}/x.css"><iframe src="${elsewhere}/"></iframe><p style`,
      ),
  );

test('without an outbox the navigation has no item for it', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  await signIn(app, page, '/');
  await wholeScreen(page);
  await page.locator('summary').getByText('More').click();
  const links = page.getByRole('navigation', { name: 'Studio' }).getByRole('link');
  expect(await links.getByText('Redirects').count()).toBe(1);
  expect(await links.getByText('Outbox').count()).toBe(0);
  expect(faults).toEqual([]);
});

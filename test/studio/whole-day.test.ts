import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyWebhook } from '../../client/sdk/index.ts';
import { parseCidr } from '../../shared/webhooks/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { pictureElement } from '../support/images.ts';
import { startReceiver } from '../support/tls-receiver.ts';
import { createVisitor } from '../support/visitor.ts';
import { buildStudio, startWatchedBrowser } from '../support/watched-browser.ts';
import { startTestWorker } from '../support/worker.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const run = promisify(execFile);

test('a creator signs in, writes, publishes, schedules, creates a key and repairs a webhook, without errors or requests to other hosts', async () => {
  let status = 503;
  await using receiver = await startReceiver({ answer: (_, response) => response.writeHead(status).end() });
  await using app = await startApp({ webhooks: { ca: receiver.ca, allowCidrs: [parseCidr('127.0.0.0/8')] } });
  await using _worker = await startTestWorker(app, { retrySeconds: [] });
  const { page, faults, hosts } = await browser.open();

  await signInByForm(app, page);
  await writePost(page);
  await seeOnSite(page);
  await useKeyByCurl(app, page);
  const secret = await registerWebhook(page, receiver.url);
  await scheduleNextPost(app, page);
  await seeFailure(page);
  status = 204;
  await sendAgain(page);

  const [refused, taken] = receiver.requests;
  expect(receiver.requests).toHaveLength(2);
  expect(taken?.body).toEqual(refused?.body);
  const told = await verifyWebhook(taken?.body ?? '', taken?.headers ?? {}, secret);
  expect(told).toMatchObject({ event: 'content.published', data: { title: 'Boats in spring' } });
  expect(faults).toEqual([]);
  expect([...hosts]).toEqual([new URL(app.baseUrl).host]);
});

async function signInByForm(app: TestApp, page: Page) {
  const { email, password } = await app.seed.owner();
  await page.goto(`${app.baseUrl}/studio`);
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

const goTo = (page: Page, position: string) =>
  page.getByRole('navigation', { name: 'Studio' }).getByRole('link', { name: position }).click();

const saved = (page: Page) => page.getByRole('status').getByText('Saved', { exact: true }).waitFor();

/** Writes a post as a draft that saves automatically, with an uploaded image, and publishes it. */
async function writePost(page: Page) {
  await goTo(page, 'Posts');
  await page.getByRole('link', { name: 'New post' }).first().click();
  await page.getByRole('textbox', { name: 'Title' }).fill('A boat in winter');
  await page.waitForURL(/\/studio\/posts\/[a-z0-9]{15}$/);
  await page.getByRole('textbox', { name: 'Content' }).click();
  await page.keyboard.type('She sails **slowly**.\n\n');
  const opened = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Image or file' }).click();
  const buffer = await pictureElement('jpeg', { width: 640, height: 400 });
  await (await opened).setFiles({ name: 'harbour.jpg', mimeType: 'image/jpeg', buffer });
  await page.getByText('Describe this image').click();
  await page.keyboard.type('harbour');
  await saved(page);
  await page.reload();
  await page.getByText('Shows: harbour').waitFor();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('“A boat in winter” published').waitFor();
}

/** Opens the site in its own tab. */
async function seeOnSite(page: Page) {
  const opened = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'View on your site' }).click();
  const site = await opened;
  await site.getByRole('heading', { name: 'A boat in winter' }).waitFor();
  await site.locator('strong', { hasText: 'slowly' }).waitFor();
  const shown = site.getByRole('img', { name: 'harbour' });
  await expect.poll(() => shown.evaluate((image) => Reflect.get(image, 'naturalWidth'))).toBeGreaterThan(0);
  await site.close();
}

async function useKeyByCurl(app: TestApp, page: Page) {
  await page.getByText('For developers').click();
  await goTo(page, 'API keys');
  await page.getByRole('button', { name: 'Create key' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('My terminal');
  await page.getByRole('checkbox', { name: 'read', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByText('it is shown only once').waitFor();
  const key = await page.getByRole('dialog').locator('pre').textContent();
  await page.getByRole('button', { name: 'I have copied it' }).click();

  const url = `${app.baseUrl}/api/v1/posts/a-boat-in-winter`;
  const { stdout } = await run('curl', ['-sS', '-f', '-H', `Authorization: Bearer ${key}`, url]);
  expect(JSON.parse(stdout)).toMatchObject({ title: 'A boat in winter', visibility: 'public' });
}

/** Registers a webhook and returns its secret, which is shown once. */
async function registerWebhook(page: Page, url: string): Promise<string> {
  await goTo(page, 'Webhooks');
  await page.getByRole('button', { name: 'Add webhook' }).first().click();
  await page.getByRole('textbox', { name: 'Address' }).fill(url);
  await page.getByRole('checkbox', { name: 'content.published' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
  await page.getByRole('heading', { name: 'The webhook’s secret' }).waitFor();
  const secret = (await page.getByRole('dialog').locator('pre').textContent()) ?? '';
  await page.getByRole('button', { name: 'I have copied it' }).click();
  return secret;
}

/** Schedules a draft, which the worker publishes at its time. */
async function scheduleNextPost(app: TestApp, page: Page) {
  await goTo(page, 'Posts');
  await page.getByRole('link', { name: 'New post' }).first().click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Boats in spring');
  await page.waitForURL(/\/studio\/posts\/[a-z0-9]{15}$/);
  await saved(page);
  await page.getByRole('button', { name: 'Schedule…' }).click();
  await page.getByLabel('Publish on').fill('2099-03-01T08:30');
  await page.getByRole('button', { name: 'Schedule', exact: true }).click();
  await page.getByText('“Boats in spring” will be published on').waitFor();
  const readers = createVisitor(app.baseUrl);
  expect((await readers('/posts/boats-in-spring')).status).toBe(404);

  await app.deps.database.em.execute(`update posts set publish_at = now() where slug = 'boats-in-spring'`);
  await expect.poll(async () => (await readers('/posts/boats-in-spring')).status).toBe(200);
  await goTo(page, 'Posts');
  const row = page.getByRole('row').filter({ hasText: 'Boats in spring' });
  await row.getByText('Published').waitFor();
}

async function seeFailure(page: Page) {
  await goTo(page, 'Overview');
  await page.getByRole('link', { name: '1 webhook needs attention' }).click();
  await page.getByRole('table', { name: 'Webhooks' }).getByRole('link').click();
  const row = page
    .getByRole('table', { name: 'Deliveries' })
    .getByRole('row')
    .filter({ hasText: 'content.published' });
  await row.getByText('Failed').waitFor();
  await row.getByText('503 · Answered with an error').waitFor();
}

async function sendAgain(page: Page) {
  await page.getByRole('button', { name: 'Show what was sent: content.published' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Boats in spring').waitFor();
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await dialog.getByText('2, by hand').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('table', { name: 'Deliveries' }).getByText('Delivered').waitFor();
}

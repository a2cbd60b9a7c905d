import { afterAll, expect, test } from 'vitest';
import { createMailTransport } from '../../shared/mail/mailer.ts';
import { startApp } from '../support/app.ts';
import { startBrowser } from '../support/browser.ts';
import { demoPages, startDemoSite } from '../support/demo-site.ts';
import { eventually } from '../support/eventually.ts';
import { captureLog } from '../support/log.ts';
import { startMailServer } from '../support/mail-server.ts';
import { ownerClient } from '../support/rpc.ts';
import { byColour, findViolations } from '../support/watched-browser.ts';
import { startTestWorker } from '../support/worker.ts';

const mail = await startMailServer();
const app = await startDemoSite(mail.url);
const worker = await startTestWorker(app, {
  mail: createMailTransport(mail, 'site@example.com', captureLog().logger),
  publicUrl: new URL(app.baseUrl),
});
const browser = await startBrowser();
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await worker[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
  await mail.close();
});

const phone = { width: 390, height: 844 };
const desk = { width: 1280, height: 900 };

test('a reader without JavaScript can read, subscribe by email, sign in and open a gated post', async () => {
  const page = await browser.open({ viewport: phone, userAgent: 'Mozilla/5.0 Firefox/140.0' });
  await page.goto(app.baseUrl);
  await page.getByRole('link', { name: 'Type-safe APIs without a build step' }).click();
  await page.getByRole('heading', { level: 1, name: 'Type-safe APIs without a build step' }).waitFor();

  await page.getByRole('link', { name: 'Newsletter' }).click();
  await page.getByLabel('Email address').fill('lin@example.com');
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await page.goto(await eventually(async () => mail.linkFor('lin@example.com')));
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByRole('heading', { name: 'You are subscribed.' }).waitFor();

  await page.goto(`${app.baseUrl}/posts/reading-a-query-plan-over-coffee`);
  expect(await page.getByText('Start at the most indented line').count()).toBe(0);
  await page.getByRole('link', { name: 'Sign in to read' }).click();
  await page.getByLabel('Email address').fill('lin@example.com');
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await page.getByLabel('Code').waitFor();
  await page.getByLabel('Code').fill(mail.codeFor('lin@example.com'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Start at the most indented line').waitFor();

  await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${app.baseUrl}/`);
  await page.goto(`${app.baseUrl}/posts/reading-a-query-plan-over-coffee`);
  await page.getByRole('link', { name: 'Sign in to read' }).waitFor();
});

test('axe finds no violation on any page, light or dark, narrow or wide', async () => {
  const page = await browser.open({ javaScriptEnabled: true, bypassCSP: true });
  for (const path of demoPages) {
    await page.goto(app.baseUrl + path);
    for (const viewport of [phone, desk]) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme: 'light' });
      expect([path, viewport, 'light', await findViolations(page)]).toEqual([path, viewport, 'light', []]);
      await page.emulateMedia({ colorScheme: 'dark' });
      const inDark = await findViolations(page, byColour);
      expect([path, viewport, 'dark', inDark]).toEqual([path, viewport, 'dark', []]);
    }
  }
});

test('no page is wider than the screen or violates its content security policy', async () => {
  const page = await browser.open({ viewport: { width: 320, height: 700 }, javaScriptEnabled: true });
  const broken: string[] = [];
  page.on(
    'console',
    (message) => void (/content security policy/i.test(message.text()) && broken.push(message.text())),
  );
  for (const path of demoPages) {
    await page.goto(app.baseUrl + path);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect([path, overflow]).toEqual([path, 0]);
  }
  expect(broken).toEqual([]);
});

test('a dark site prints dark text on white paper', async () => {
  await using dark = await startApp();
  const { studio } = ownerClient(dark.baseUrl, await dark.seed.ownerToken());
  await studio.site.update.mutate({ theme: { scheme: 'dark' } });
  const page = await browser.open({ javaScriptEnabled: true });
  const ink = () => page.evaluate<string>('getComputedStyle(document.body).color');
  await page.goto(dark.baseUrl);
  const onScreen = await ink();
  await page.emulateMedia({ media: 'print' });
  expect([onScreen, await ink()]).toEqual(['rgb(236, 231, 221)', 'rgb(29, 27, 24)']);
});

test('a button beside a field has the same height', async () => {
  const page = await browser.open({ viewport: phone });
  await page.goto(`${app.baseUrl}/posts`);
  const [field, button] = [page.getByRole('searchbox'), page.getByRole('button', { name: 'Search' })];
  expect((await button.boundingBox())?.height).toBeCloseTo((await field.boundingBox())?.height ?? 0, 1);
});

test('a CV prints on at most two pages', async () => {
  const page = await browser.open();
  await page.goto(`${app.baseUrl}/cv`);
  const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
  expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(2);
});

test('the CV prints on one A4 page or two Letter pages', async () => {
  const page = await browser.open();
  await page.goto(`${app.baseUrl}/cv`);
  const pagesOf = async (format: string) =>
    (await page.pdf({ format })).toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length;
  expect([await pagesOf('A4'), await pagesOf('Letter')]).toEqual([1, 2]);
});

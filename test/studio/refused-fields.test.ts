import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const words = 'Check the marked fields.';
/** Returns the name of the focused field. */
const focusedName = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('name') ?? document.activeElement?.ariaLabel);
/** Returns the description of the focused field that a screen reader reads. */
const describedAs = (page: Page) =>
  page.evaluate(() => {
    const ids = document.activeElement?.getAttribute('aria-describedby')?.split(' ') ?? [];
    return ids.map((id) => document.getElementById(id)?.textContent ?? `nothing is called ${id}`).join(' ');
  });

test('refused settings move the focus to the field with the problem, and show a message in view', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open({ viewport: { width: 1280, height: 600 } });
  await signIn(app, page, '/settings');
  const subdomain = page.getByRole('textbox', { name: 'Subdomain' });
  await subdomain.fill('Not a label');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText(words).waitFor();
  await page.locator('input[aria-invalid="true"]:focus').waitFor();
  expect(await subdomain.evaluate((input) => input === document.activeElement)).toBe(true);
  expect(await subdomain.evaluate((input) => input.getBoundingClientRect().top)).toBeGreaterThan(0);
  expect(await findViolations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('input[aria-invalid="true"]:focus').waitFor();
  expect(faults).toEqual([]);
});

test('a domain that belongs to another site moves the focus to its field', async () => {
  await using app = await startApp();
  await app.seed.site({ subdomain: 'ada', custom_domain: 'ada.example.com' });
  const { page } = await browser.open({ viewport: { width: 1280, height: 600 } });
  await signIn(app, page, '/settings');
  for (const [name, domain] of [
    ['Custom domain', 'ada.example.com'],
    ['Subdomain', 'ada'],
  ] as const) {
    const field = page.getByRole('textbox', { name });
    await field.fill(domain);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('in use by another site').waitFor();
    await page.getByRole('alert').getByText(words).waitFor();
    await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true);
    await field.fill('');
  }
});

test('a post that cannot be published moves the focus to the field with the problem on a phone', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open({ viewport: { width: 390, height: 700 } });
  const token = await signIn(app, page, '/posts');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', is_draft: true });
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  await page.getByRole('button', { name: 'Details' }).click();
  await page.locator('input[name=slug]').fill('Not a slug');
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('alert').getByText(words).waitFor();
  await expect.poll(() => focusedName(page)).toBe('slug');
  await page.locator('input[name=slug]').waitFor();
  const { top, bottom } = await page
    .locator('input[name=slug]')
    .evaluate((input) => input.getBoundingClientRect());
  expect(top).toBeGreaterThan(0);
  expect(bottom).toBeLessThan(700);
  expect(await posts.get.query({ id })).toMatchObject({ is_draft: true });
  expect(faults).toEqual([]);
});

test('a draft that cannot be scheduled moves the focus to the field with the problem, without reporting an outage', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/posts');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', is_draft: true });
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  await page.locator('input[name=slug]').fill('Not a slug');
  await page.getByRole('button', { name: 'Schedule…' }).click();
  await page.getByLabel('Publish on').fill('2099-03-01T08:30');
  await page.getByRole('button', { name: 'Schedule', exact: true }).click();
  await page.getByRole('alert').getByText(words).waitFor();
  await expect.poll(() => focusedName(page)).toBe('slug');
  expect(await page.getByText('can’t be reached').count()).toBe(0);
  expect(await posts.get.query({ id })).toMatchObject({ publish_at: null });
  expect(faults).toEqual([]);
});

test('problems of a title and a text are described at their inputs', async () => {
  await using app = await startApp();
  const { page, faults, context } = await browser.open();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const token = await signIn(app, page, '/posts');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', content: 'By the sea' });
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('');
  await page.getByRole('button', { name: 'Update' }).click();
  await expect.poll(() => focusedName(page)).toBe('Title');
  expect(await describedAs(page)).toBe('Fill in this field.');
  await title.fill('A boat');

  await page.getByRole('textbox', { name: 'Content' }).click();
  expect(await describedAs(page)).toBe('');
  await page.evaluate(() => navigator.clipboard.writeText('x'.repeat(500_001)));
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Control+V');
  await page.getByRole('button', { name: 'Update' }).click();
  await expect.poll(() => focusedName(page)).toBe('Content');
  expect(await describedAs(page)).toMatch(/character/);
  expect(faults).toEqual([]);
});

test.each([
  ['a-boat', 'already in use'],
  ['Not a slug', 'must have 1 to 200 characters of a-z'],
])(
  'the refused slug "%s" delays neither the other fields of a new post nor the next post',
  async (slug, message) => {
    await using app = await startApp();
    const { page } = await browser.open();
    const token = await signIn(app, page, '/posts/new');
    const { posts } = ownerClient(app.baseUrl, token).studio;
    await posts.create.mutate({ title: 'A boat' });
    const title = page.getByRole('textbox', { name: 'Title' });
    await page.getByRole('button', { name: 'Details' }).click();
    const address = page.getByRole('textbox', { name: 'Address' });
    await address.fill(slug);
    await title.fill('Another boat');
    await expect
      .poll(async () => (await posts.list.query({ q: 'another' })).items[0])
      .toMatchObject({ title: 'Another boat', slug: 'another-boat', is_draft: true });
    await page.getByText(message).waitFor();
    expect(await address.inputValue()).toBe(slug);
    await page.getByText('Not saved').waitFor();
    expect(await page.getByRole('button', { name: 'Compare and choose' }).count()).toBe(0);
    await page.getByRole('textbox', { name: 'Excerpt' }).fill('It floats.');
    await expect
      .poll(async () => (await posts.list.query({ q: 'another' })).items[0]?.excerpt)
      .toBe('It floats.');

    await page.getByRole('link', { name: 'Posts' }).last().click();
    await page.getByRole('link', { name: 'Another boat' }).waitFor();
    await page.getByRole('link', { name: 'New post' }).click();
    await page.getByRole('button', { name: 'Details' }).click();
    expect([await title.inputValue(), await address.inputValue()]).toEqual(['', '']);
    await page.goBack();
    await page.getByRole('link', { name: 'Another boat' }).click();
    await expect.poll(() => address.inputValue()).toBe(slug);
    await address.fill('other-boat');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await posts.list.query({ q: 'another' })).items).toMatchObject([{ slug: 'other-boat' }]);
  },
);

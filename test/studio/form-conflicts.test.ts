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

test('two users who change different settings of the site both keep their changes, even within the theme', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  const { site } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  await signIn(app, page, '/settings');
  await page.getByRole('textbox', { name: 'Site name' }).fill('Harbour');
  await page.getByRole('combobox', { name: 'Color scheme' }).click();
  await page.getByRole('option', { name: 'Dark' }).click();
  await site.update.mutate({ language: 'pt', theme: { accent: '#aa3311' } });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Changes saved').waitFor();
  expect(await site.get.query()).toMatchObject({
    name: 'Harbour',
    language: 'pt',
    theme: { accent: '#aa3311', scheme: 'dark' },
  });
  expect(await page.getByRole('combobox', { name: 'Language' }).inputValue()).toBe('Portuguese');
  await context.close();
});

test('a value typed back to the original does not conflict with another writer’s change', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  const { profile } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  await signIn(app, page, '/profile');
  const headline = page.getByRole('textbox', { name: 'Headline' });
  const before = await headline.inputValue();
  await headline.fill('Mine');
  await headline.fill(before);
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada of here');
  await profile.update.mutate({ headline: 'Theirs' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Changes saved').waitFor();
  expect(await profile.get.query()).toMatchObject({ name: 'Ada of here', headline: 'Theirs' });
  expect(await headline.inputValue()).toBe('Theirs');
  await context.close();
});

test('for a profile that two users changed the owner chooses a value per field, and can continue to save', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  const { profile } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  await signIn(app, page, '/profile');
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada of here');
  await page.getByRole('textbox', { name: 'Headline' }).fill('Mine');
  await profile.update.mutate({ name: 'Ada of there', headline: 'Theirs', location: 'Porto' });
  const save = page.getByRole('button', { name: 'Save' });
  await save.click();
  const dialog = page.getByRole('dialog', { name: 'Conflicting changes' });
  await dialog.waitFor();
  await page.waitForFunction(
    () => !document.getAnimations().some(({ playState }) => playState === 'running'),
  );
  expect(await findViolations(page)).toEqual([]);
  const headline = dialog.getByRole('radiogroup', { name: 'Headline' });
  await headline.getByText('Version of Someone').click();
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Changes saved').waitFor();
  expect(await profile.get.query()).toMatchObject({
    name: 'Ada of here',
    headline: 'Theirs',
    location: 'Porto',
  });
  await page.getByRole('textbox', { name: 'Headline' }).fill('Mine after all');
  await save.click();
  await expect.poll(async () => (await profile.get.query()).headline).toBe('Mine after all');
  await context.close();
});

test('a lesson keeps changes of other writers, and asks which text to keep if both changed it', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const { id: course_id } = await studio.courses.create.mutate({ title: 'Sailing' });
  const { id: module_id } = await studio.modules.create.mutate({ course_id, title: 'Knots', sort_order: 0 });
  const { id } = await studio.lessons.create.mutate({ module_id, title: 'Reef knot', sort_order: 0 });
  await signIn(app, page, `/courses/${course_id}/curriculum`);
  const lesson = () => studio.lessons.get.query({ id });
  const form = page.getByRole('dialog', { name: 'Edit lesson' });
  const save = () => form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Reef knot', exact: true }).click();
  await form.getByRole('textbox', { name: 'Title' }).fill('The reef knot');
  await studio.lessons.update.mutate({ id, content: 'Right over left' });
  await save();
  await form.waitFor({ state: 'hidden' });
  expect(await lesson()).toMatchObject({ title: 'The reef knot', content: 'Right over left' });

  await page.getByRole('button', { name: 'The reef knot', exact: true }).click();
  await form.getByRole('textbox', { name: 'Title' }).fill('Mine');
  await studio.lessons.update.mutate({ id, title: 'Theirs' });
  await save();
  const conflict = page.getByRole('dialog', { name: 'Conflicting changes' });
  await conflict.waitFor();
  expect((await lesson())?.title).toBe('Theirs');
  await page.keyboard.press('Escape');
  await conflict.waitFor({ state: 'hidden' });
  await form.getByRole('alert').getByText('Someone else changed this').waitFor();
  await save();
  await conflict.getByRole('button', { name: 'Apply' }).click();
  await form.waitFor({ state: 'hidden' });
  expect((await lesson())?.title).toBe('Mine');
  await context.close();
});

test('for an API key that two users changed all changes are kept, and only edited fields are sent', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  const { apiKeys } = ownerClient(app.baseUrl, await app.seed.ownerToken()).admin;
  const { id } = await apiKeys.create.mutate({ name: 'Static site', scopes: ['read'] });
  await signIn(app, page, '/tools/api-keys');
  await page.getByRole('button', { name: 'Actions for Static site' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).fill('Static pages');
  await apiKeys.update.mutate({
    id,
    scopes: ['read', 'write'],
    allowed_origins: ['https://ada.example.com'],
  });
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'hidden' });
  expect((await apiKeys.list.query()).data).toMatchObject([
    { name: 'Static pages', scopes: ['read', 'write'], allowed_origins: ['https://ada.example.com'] },
  ]);
  await context.close();
});

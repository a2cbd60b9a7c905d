import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser, takeRefusal } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('an owner sees each change with its author, compares a revision with the current one, restores it and undoes that', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({
    title: 'Boats',
    content: 'One\n\nTwo sails\n\nThree',
    tags: ['sea'],
  });
  const key = await app.seed.key();
  await app.patch(`/api/v1/posts/${id}`, {
    key,
    body: { title: 'Ships', content: 'One\n\nTwo tall sails\n\nThree' },
  });
  await posts.update.mutate({ id, tags: ['sea', 'wood'] });
  const present = async () => (await posts.get.query({ id })).title;
  await signIn(app, page, `/posts/${id}`);

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'History' }).click();
  const changes = page.getByRole('navigation', { name: 'Versions' }).getByRole('link');
  await changes.first().waitFor();
  expect(await changes.allTextContents()).toEqual([
    expect.stringMatching(/^TagsNowOlive Owner · /),
    expect.stringMatching(/^Title, Contenttest, a program · /),
    expect.stringMatching(/^CreatedOlive Owner · /),
  ]);
  const difference = (field: string) => page.getByRole('region', { name: field });
  await difference('Tags').getByText('sea, wood').waitFor();
  expect(await difference('Title').count()).toBe(0);

  await changes.last().click();
  await difference('Title').getByText('Ships').waitFor();
  expect(await difference('Title').textContent()).toBe('TitleThenBoatsNowShips');
  await difference('Content').locator('del').waitFor();
  expect(await difference('Content').locator('del').allTextContents()).toEqual(['Two sails']);
  expect(await difference('Content').locator('ins').allTextContents()).toEqual(['Two tall sails']);
  expect(await difference('Content').locator('mark').allTextContents()).toEqual(['tall ']);
  expect(new URL(page.url()).search).toBe('?revision=1');
  expect(await findViolations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Restore this version' }).click();
  await page.getByText(/^Version of .* restored/).waitFor();
  await page.getByText('Unchanged since then').waitFor();
  expect(await present()).toBe('Boats');
  await expect.poll(() => changes.count()).toBe(4);
  await page.getByRole('button', { name: 'Undo' }).click();
  await difference('Title').getByText('Ships').waitFor();
  expect(await posts.get.query({ id })).toMatchObject({ title: 'Ships', tags: ['sea', 'wood'], revision: 5 });
  expect(faults).toEqual([]);
});

test('an owner compares two old revisions, the earlier one first, by a link of their own', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Boats', excerpt: 'Wood' });
  await posts.update.mutate({ id, title: 'Ships' });
  await posts.update.mutate({ id, excerpt: 'Steel' });
  await posts.update.mutate({ id, title: 'Fleets', excerpt: 'Iron' });
  await signIn(app, page, `/posts/${id}/history?revision=3`);
  const difference = (field: string) => page.getByRole('region', { name: field });
  await difference('Excerpt').getByText('Iron').waitFor();

  await page.getByRole('combobox', { name: 'Compare with' }).click();
  await page.getByRole('option', { name: /^Created/ }).click();
  await difference('Title').getByText('Boats').waitFor();
  expect(await difference('Title').textContent()).toBe('TitleBeforeBoatsAfterShips');
  expect(await difference('Excerpt').locator('del').allTextContents()).toEqual(['Wood']);
  expect(await difference('Excerpt').locator('ins').allTextContents()).toEqual(['Steel']);
  expect(new URL(page.url()).search).toBe('?revision=3&with=1');
  expect(await findViolations(page)).toEqual([]);

  await page.reload();
  await difference('Title').getByText('Ships').waitFor();
  await page.getByRole('navigation', { name: 'Versions' }).getByRole('link').nth(2).click();
  await difference('Title').getByText('Fleets').waitFor();
  expect(await difference('Title').textContent()).toBe('TitleThenShipsNowFleets');
  expect(faults).toEqual([]);
});

test('restoring does not overwrite a change made since the revision was opened, and neither does its undo', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { skills } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await skills.create.mutate({ name: 'Knots' });
  await skills.update.mutate({ id, name: 'Knots and splices' });
  await signIn(app, page, `/skills/${id}/history?revision=1`);
  await page.getByText('Knots and splices').last().waitFor();
  await skills.update.mutate({ id, category: 'Sea' });

  await page.getByRole('button', { name: 'Restore this version' }).click();
  await page.getByText('Someone else changed this').waitFor();
  await page.getByRole('region', { name: 'Group' }).getByText('Sea').waitFor();
  expect(await skills.get.query({ id })).toMatchObject({
    name: 'Knots and splices',
    category: 'Sea',
    revision: 3,
  });
  await takeRefusal(faults, 412);
  await page.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Restore this version' }).click();
  await page.getByText(/^Version of .* restored/).waitFor();
  await skills.update.mutate({ id, name: 'Bends' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Someone else changed this').waitFor();
  expect(await skills.get.query({ id })).toMatchObject({ name: 'Bends', revision: 5 });
  await takeRefusal(faults, 412);
});

test('the history of a missing record shows “not found”', async () => {
  await using app = await startApp();
  const { page } = await browser.open();
  await signIn(app, page, '/posts/mb3k9x2a7f0q1zd/history');
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
});

test('arrow keys in the menu of a public record reach its visible actions on a wide screen', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Boats' });
  await signIn(app, page, `/posts/${id}`);
  await page.getByRole('button', { name: 'More actions' }).press('Enter');
  // The menu handles keys once it has the focus, which it gets after it is shown.
  await page.locator('[role="menu"]:focus-within').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('menuitem', { name: 'History' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'History' }).waitFor();
  expect(faults).toEqual([]);
});

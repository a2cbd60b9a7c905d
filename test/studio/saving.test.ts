import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, startWatchedBrowser, takeRefusal } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

/** No post can be written until what it returns is called. */
async function breakPosts({ deps: { database } }: TestApp) {
  await database.em.execute(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$`,
  );
  await database.em.execute(
    'create trigger refuse before update on posts for each row execute function refuse()',
  );
  return () => database.em.execute('drop trigger refuse on posts');
}

test('a record that is being created is created once, however often it is saved or published meanwhile', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  await signIn(app, page, '/posts/new');
  await using creates = await holdAnswers(page, 'studio.posts.create');
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('A boat in winter');
  await creates.done(1);
  await title.press('Control+s');
  await page.getByRole('textbox', { name: 'Excerpt' }).fill('It froze.');
  await page.keyboard.press('Control+s');
  expect(creates.calls()).toBe(1);
  await page.getByRole('button', { name: 'Publish' }).click();
  await creates.letGo();
  await page.getByText('“A boat in winter” is published').waitFor();
  expect(creates.calls()).toBe(1);
  expect((await posts.list.query({})).items).toMatchObject([
    { slug: 'a-boat-in-winter', excerpt: 'It froze.', is_draft: false },
  ]);
  expect(faults).toEqual([]);
});

test('a record that is public from the start is created once, and what was typed meanwhile is saved when told', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { skills } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  await signIn(app, page, '/skills/new');
  await using creates = await holdAnswers(page, 'studio.skills.create');
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('Sail');
  await name.press('Control+s');
  await name.press('Control+s');
  await creates.done(1);
  await name.fill('Sailing');
  await name.press('Control+s');
  await creates.letGo();
  await page.getByText('“Sailing” is updated').waitFor();
  expect(creates.calls()).toBe(1);
  expect((await skills.list.query({})).items).toMatchObject([{ name: 'Sailing' }]);
  expect(faults).toEqual([]);
});

test('a draft is published once, and told of once, however often Publish is pressed', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Boats', is_draft: true });
  await signIn(app, page, `/posts/${id}`);
  await using updates = await holdAnswers(page, 'studio.posts.update');
  const publish = page.getByRole('button', { name: 'Publish' });
  await publish.click();
  await updates.done(1);
  await publish.click({ force: true });
  await page.getByRole('textbox', { name: 'Excerpt' }).fill('Many');
  await page.keyboard.press('Control+s');
  await updates.letGo();
  await page.getByText('“Boats” is updated').waitFor();
  expect(await page.getByText('“Boats” is published').count()).toBe(1);
  expect(updates.calls()).toBe(2);
  expect(await posts.get.query({ id })).toMatchObject({ excerpt: 'Many', is_draft: false, revision: 3 });
  expect(faults).toEqual([]);
});

test('Undo of publishing makes a draft of the record again, and takes back nothing that was saved since', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Boats', is_draft: true });
  await signIn(app, page, `/posts/${id}`);
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('Old boats');
  await page.getByRole('button', { name: 'Publish' }).click();
  // It stays while the pointer is on it.
  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.hover();
  await title.fill('New boats');
  await title.press('Control+s');
  await page.getByText('“New boats” is updated').waitFor();
  await undo.click();
  await page.getByText('“Old boats” is a draft again').waitFor();
  expect(await posts.get.query({ id })).toMatchObject({ title: 'New boats', is_draft: true });
  expect(faults).toEqual([]);
});

test('Retry does again what failed, also when nothing was typed', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Boats', is_draft: true });
  await signIn(app, page, `/posts/${id}`);
  const mend = await breakPosts(app);
  await page.getByRole('button', { name: 'Publish' }).click();
  const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' });
  await retry.waitFor();
  await mend();
  await takeRefusal(faults, 500);
  await retry.click();
  await page.getByText('“Boats” is published').waitFor();
  expect(await posts.get.query({ id })).toMatchObject({ is_draft: false });
  expect(faults).toEqual([]);
});

test('that publishing could not be undone is told, also when the form was left', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Boats', is_draft: true });
  await signIn(app, page, `/posts/${id}`);
  await page.getByRole('button', { name: 'Publish' }).click();
  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.waitFor();
  await page.getByRole('link', { name: 'Media', exact: true }).click();
  await breakPosts(app);
  await undo.click();
  await page.getByRole('alert').getByText('The service had a problem').waitFor();
  await takeRefusal(faults, 500);
});

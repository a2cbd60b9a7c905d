import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { createVisitor } from '../support/visitor.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('two clicks copy a preview link with the latest edits of a draft; the link is listed, and one more click ends it', async () => {
  await using app = await startApp();
  app.clock.catchUp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/posts');
  const { studio } = ownerClient(app.baseUrl, token);
  const { id } = await studio.posts.create.mutate({
    title: 'Not yet',
    content: 'A body.',
    is_draft: true,
    access_tier: 'members',
  });
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Nearly there');
  await page.getByRole('button', { name: 'Preview link' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Copy link' }).click();
  const shownLink = async () => (await dialog.getByText('/preview/svc_preview_').textContent()) ?? '';
  const url = await shownLink();
  const visit = createVisitor(app.baseUrl);
  const shown = await visit(new URL(url).pathname);
  expect(shown.text).toContain('<h1>Nearly there</h1>');
  expect(shown.text).not.toContain('A body.');
  expect(await findViolations(page)).toEqual([]);

  await dialog.getByRole('combobox', { name: 'Preview as' }).click();
  await page.getByRole('option', { name: 'Members' }).click();
  await dialog.getByRole('button', { name: 'Copy link' }).click();
  await dialog.getByText('Members, until').waitFor();
  const { data } = await studio.previews.list.query();
  expect(data.map(({ as, title }) => [as, title]).toSorted()).toEqual([
    ['free', 'Nearly there'],
    ['members', 'Nearly there'],
  ]);
  const open = await visit(new URL(await shownLink()).pathname);
  expect(open.text).toContain('A body.');
  await dialog
    .getByRole('listitem')
    .filter({ hasText: 'Members' })
    .getByRole('button', { name: 'Revoke' })
    .click();
  await dialog.getByText('Members, until').waitFor({ state: 'hidden' });
  expect((await visit(new URL(url).pathname)).status).toBe(200);
  expect((await studio.previews.list.query()).data).toMatchObject([{ as: 'free' }]);

  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('button', { name: 'Preview link' }).waitFor({ state: 'hidden' });
  expect((await visit(new URL(url).pathname)).headers.location).toBe('/posts/not-yet');
  expect(faults).toEqual([]);
});

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

test('an owner adds, finds, changes and deletes redirects, and sees a refusal at its field', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/redirects');
  const { redirects } = ownerClient(app.baseUrl, token).studio;
  await page.getByText('old path stop working').waitFor();
  await page.getByRole('button', { name: 'Add redirect' }).first().click();
  const dialog = page.getByRole('dialog');
  const add = dialog.getByRole('button', { name: 'Add redirect' });
  const type = async (name: string, value: string) => dialog.getByRole('textbox', { name }).fill(value);
  await type('Old path', 'types');
  await type('Target', '/posts');
  await add.click();
  await dialog.getByText('must be a path, such as /old-address').waitFor();
  await type('Old path', '/self');
  await type('Target', '/self');
  await add.click();
  await dialog.getByText('must not be the same path').waitFor();
  await takeRefusal(faults, 400);
  expect(await findViolations(page)).toEqual([]);
  await type('Old path', '/2019/übersicht/');
  await type('Target', '/posts');
  await dialog.getByRole('radio', { name: 'Temporary' }).check();
  await add.click();
  await page.getByRole('cell', { name: '/2019/übersicht →' }).waitFor();
  await redirects.create.mutate({ from: '/slides', to: 'https://slides.example.com/' });

  await page.reload();
  await page.getByRole('cell', { name: '/slides →' }).waitFor();
  await page.getByRole('searchbox', { name: 'Find by path' }).fill('2019');
  await page.getByRole('cell', { name: '/slides →' }).waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Actions for /2019/übersicht' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await type('Target', '/cv');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Changes saved').waitFor();
  const { items } = await redirects.list.query({ q: '2019' });
  expect(items).toMatchObject([{ from: '/2019/%C3%BCbersicht', to: '/cv', permanent: false }]);

  await page.getByRole('button', { name: 'Actions for /2019/übersicht' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Redirect from /2019/übersicht deleted').waitFor();
  expect((await redirects.list.query({})).items.map(({ from }) => from)).toEqual(['/slides']);
  expect(faults).toEqual([]);
});

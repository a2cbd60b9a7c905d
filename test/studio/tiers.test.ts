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

test('an owner chooses a post’s access tier among all existing ones, each with its effect, or types a new one', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  await posts.create.mutate({ title: 'For patrons', access_tier: 'patrons' });
  const { id } = await posts.create.mutate({ title: 'Knots', access_tier: 'paid', is_draft: true });
  const stored = () => expect.poll(async () => (await posts.get.query({ id })).access_tier);
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  const tier = page.getByRole('combobox', { name: 'Access' });
  await page.locator('[id$=description]', { hasText: 'Buyers, and members' }).waitFor();
  await tier.click();
  const options = page.getByRole('option');
  await page.getByRole('option', { name: 'patrons' }).waitFor();
  expect((await options.allTextContents()).map((words) => words.slice(0, 7))).toEqual([
    'Everyon',
    'Signed-',
    'BuyersB',
    'Members',
    'patrons',
    'Another',
  ]);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('option', { name: /^Members/ }).click();
  await stored().toBe('members');
  await tier.click();
  await page.getByRole('option', { name: 'patrons' }).click();
  await stored().toBe('patrons');
  await tier.click();
  await page.getByRole('option', { name: 'Another group' }).click();
  await page.getByRole('textbox', { name: 'Group name' }).fill('guild');
  await stored().toBe('guild');
  await page.reload();
  expect(await tier.inputValue()).toBe('guild');
  expect(faults).toEqual([]);
});

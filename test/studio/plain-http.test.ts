import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { pictureElement } from '../support/images.ts';
import { ownerClient } from '../support/rpc.ts';
import { buildStudio, startWatchedBrowser } from '../support/watched-browser.ts';

// Over HTTP only localhost is a secure context, so another name is needed.
const host = 'studio.test';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser([`--host-resolver-rules=MAP ${host} 127.0.0.1`]);
});
afterAll(() => browser[Symbol.asyncDispose]());

async function open(app: TestApp, screen: string) {
  const { page, context, faults } = await browser.open();
  const { email, password } = await app.seed.owner();
  const at = `http://${host}:${new URL(app.baseUrl).port}/studio${screen}`;
  await page.goto(at);
  expect(await page.evaluate(() => isSecureContext)).toBe(false);
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Olive Owner' }).waitFor();
  const { studio, admin } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  return { page, context, faults, studio, admin };
}

type Page = Awaited<ReturnType<typeof open>>['page'];

/** Pastes the clipboard into an input and returns its text. */
async function pasted(page: Page): Promise<string> {
  const search = page.getByPlaceholder('Search or jump to…');
  await page.keyboard.press('Control+k');
  await search.waitFor();
  await search.press('Control+v');
  const value = await search.inputValue();
  await page.keyboard.press('Escape');
  await search.waitFor({ state: 'hidden' });
  return value;
}

test('over plain HTTP records can be saved, published, restored, discarded and approved, each with its message', async () => {
  await using app = await startApp();
  const { page, context, faults, studio } = await open(app, '/posts/new');
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('A boat');
  await page.waitForURL(/\/studio\/posts\/[a-z0-9]{15}$/);
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('“A boat” published').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText(/” unpublished/).waitFor();
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect.poll(async () => (await studio.posts.list.query({})).items[0]?.is_draft).toBe(false);
  await title.fill('A boat at sea');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByText('Changes discarded').waitFor();
  expect(await title.inputValue()).toBe('A boat');

  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByRole('textbox', { name: 'Headline' }).fill('Sailor');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Changes saved').waitFor();
  expect(await page.locator('form').getByRole('alert').count()).toBe(0);

  await app.post('/trpc/site.testimonials.submit', {
    body: { json: { name: 'Grace', email: 'grace@example.com', content: 'Dependable.' } },
  });
  await page.getByRole('link', { name: 'Testimonials' }).click();
  await page.getByRole('switch', { name: /Grace/ }).press('Space');
  await page.getByText('Testimonial of Grace is shown').first().waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test('over plain HTTP a key can be copied, switched off and deleted, and a file’s URL can be copied', async () => {
  await using app = await startApp();
  const { page, context, faults, admin, studio } = await open(app, '/tools/api-keys');
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Static site');
  await page.getByRole('checkbox', { name: 'read', exact: true }).click();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const secret = await dialog.getByText(/^svc_live_/).textContent();
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await dialog.getByRole('button', { name: 'Copied', exact: true }).waitFor();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await pasted(page)).toBe(secret);

  const act = async (action: string) => {
    await page.getByRole('button', { name: 'Actions for Static site' }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await act('Switch off');
  await page.getByText(/” disabled/).waitFor();
  await act('Delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
  await dialog.waitFor({ state: 'hidden' });
  expect((await admin.apiKeys.list.query()).data).toEqual([]);

  await page.getByRole('link', { name: 'Media', exact: true }).click();
  const buffer = await pictureElement('jpeg', { width: 300, height: 300 });
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'harbour.jpg', mimeType: 'image/jpeg', buffer });
  await page.getByRole('button', { name: 'Actions for harbour.jpg' }).click();
  await page.getByRole('menuitem', { name: 'Copy URL' }).click();
  await page.getByText('URL copied').waitFor();
  const [file] = (await studio.media.list.query({})).items;
  expect(await pasted(page)).toBe(`${new URL(page.url()).origin}${file?.url}`);
  expect(faults).toEqual([]);
  await context.close();
});

test('if a browser forbids copying, the text is selected with instructions, or the URL is shown', async () => {
  await using app = await startApp();
  const { page, context } = await open(app, '/tools/assistants');
  await page.evaluate(() => {
    document.execCommand = () => false;
  });
  await page.getByRole('button', { name: 'Copy', exact: true }).first().click();
  await page.getByRole('status').getByText('Selected: press Ctrl C').waitFor();
  const selected = await page.evaluate(() => String(window.getSelection()));
  expect(selected).toContain('/mcp');
  await context.close();
});

import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textWidths } from '../../shared/contract/features/theme.ts';
import { startApp } from '../support/app.ts';
import { formOf, pictureElement } from '../support/images.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('Markdown marks are hidden except at the cursor, and stay in the text', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const content =
    '## Knots\n\nTie them **slowly** and _well_, [all](https://knots.example) of `them`.\n\n- [ ] [](x)';
  const { id } = await posts.create.mutate({ title: 'A boat', content, is_draft: true });
  await signIn(app, page, `/posts/${id}`);
  const lines = () => page.locator('.cm-content .cm-line').allTextContents();
  await page.locator('.cm-content').waitFor();
  const clean = ['Knots', '', 'Tie them slowly and well, all of them.', '', '- [ ] [](x)'];
  await expect.poll(lines).toEqual(clean);
  await page.getByText('13 words · 1 min to read').waitFor();

  await page.getByRole('textbox', { name: 'Content' }).focus();
  await page.keyboard.press('Control+End');
  await expect.poll(lines).toEqual(clean);
  await page.keyboard.press('Control+Home');
  await expect.poll(lines).toEqual(['## Knots', ...clean.slice(1)]);
  await page.getByText('Tie them').click();
  await page.keyboard.press('Home');
  for (let steps = 0; steps < 'Tie them '.length; steps++) await page.keyboard.press('ArrowRight');
  await expect
    .poll(lines)
    .toEqual([...clean.slice(0, 2), 'Tie them **slowly** and well, all of them.', ...clean.slice(3)]);
  expect(await findViolations(page)).toEqual([]);
  expect((await posts.get.query({ id })).content).toBe(content);
  expect(faults).toEqual([]);
});

test('the editor displays an image of the site instead of its Markdown, and a button adds a missing alt text', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const key = await app.seed.key({ scopes: ['write:media'] });
  const file = formOf(await pictureElement('png', { width: 900, height: 600 }), { name: 'boat.png' });
  const { url } = (await app.post('/api/v2/media', { key, ...file })).body as { url: string };
  const elsewhere = '![](https://b.example/c.png) ![two\nlines](/media/c.png)';
  const before = `Before.\n\n![](${url})\n\nAfter ${elsewhere}`;
  const { id } = await posts.create.mutate({ title: 'A boat', content: before, is_draft: true });
  const content = async () => (await posts.get.query({ id })).content;
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  const text = page.getByRole('textbox', { name: 'Content' });
  const seen = text.locator('.cm-picture img');
  await expect.poll(() => seen.evaluate((image) => Reflect.get(image, 'naturalWidth'))).toBe(900);
  await text.getByText(url).waitFor({ state: 'hidden' });
  expect(await findViolations(page)).toEqual([]);

  const question = text.getByRole('button', { name: 'Describe this image' });
  // An image of another site is not displayed, but needs a description as well.
  expect(await question.count()).toBe(2);
  await question.first().click();
  await text.getByText(url).waitFor();
  await page.keyboard.type('A boat');
  const caption = text.getByRole('button', { name: 'Add a caption' });
  await caption.focus();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await caption.waitFor({ state: 'detached' });
  await page.keyboard.type('By me');
  await text.getByText('By me', { exact: true }).waitFor();
  const after = before.replace(`![](${url})`, `![A boat](${url} "By me")`);
  await expect.poll(content).toBe(after);
  await page.keyboard.press('Control+Home');
  await text.getByText('Shows: A boat').waitFor();
  await text.getByText(url).waitFor({ state: 'hidden' });
  // Arrow keys reach its Markdown like any other text.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await text.getByText(url).waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(await content()).toBe(after);
  expect(faults).toEqual([]);
});

test('numbered lists, tables and dividers are inserted from a menu, separated from the text before them', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open({ viewport: { width: 390, height: 800 } });
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', content: 'One\nTwo', is_draft: true });
  await signIn(app, page, `/posts/${id}`);
  const more = page.getByRole('button', { name: 'More formatting' });
  const choose = async (name: string) => {
    await more.click();
    await page.getByRole('menuitem', { name }).click();
  };
  const becomes = async (content: string) => {
    await page.keyboard.press('Control+s');
    await expect.poll(async () => (await posts.get.query({ id })).content).toBe(content);
  };
  await page.getByRole('textbox', { name: 'Content' }).focus();
  await page.keyboard.press('Control+a');
  await more.click();
  await page.getByRole('menuitem', { name: 'Table' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => more.evaluate((button) => button === document.activeElement)).toBe(true);
  await choose('Numbered list');
  await becomes('1. One\n2. Two');
  await choose('Numbered list');
  await becomes('One\nTwo');
  await page.keyboard.press('Control+End');
  await choose('Divider');
  await page.keyboard.type('Three');
  await becomes('One\nTwo\n\n---\nThree');
  await page.keyboard.press('Enter');
  await choose('Table');
  await page.keyboard.type('Knot');
  const table = '| Knot  |   |\n| --- | --- |\n|   |   |\n';
  await becomes(`One\nTwo\n\n---\nThree\n\n${table}`);
  expect(faults).toEqual([]);
});

test('a preview has the width, fonts and colors of the page', async () => {
  await using app = await startApp();
  // Wide enough for the widest text beside the details.
  const { page } = await browser.open({ viewport: { width: 1440, height: 900 } });
  const { posts, site } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({
    title: 'A boat',
    content: `${'It floats. '.repeat(60)}\n\n> As it should.\n\n| a |\n|---|\n| b |`,
  });
  const seen = (root: Page | FrameLocator) =>
    root.locator('.body').evaluate((body) => {
      const { width } = body.getBoundingClientRect();
      const styles = ['blockquote', 'td', 'p'].map((name) => {
        const { font, color, padding } = getComputedStyle(body.querySelector(name) ?? body);
        return { font, color, padding };
      });
      return { width, styles };
    });
  for (const width of ['narrow', 'wide'] as const) {
    await site.update.mutate({ theme: { width, look: 'classroom', font: 'bold' } });
    await page.goto(`${app.baseUrl}/posts/a-boat`);
    const onPage = await seen(page);
    expect(onPage.width).toBe(Number.parseFloat(textWidths[width]) * 16);
    await signIn(app, page, `/posts/${id}`);
    await page.getByText('Preview', { exact: true }).click();
    expect(await seen(page.frameLocator('iframe'))).toEqual(onPage);
  }
});

test('the same shortcuts save and publish in all inputs, and are shown at their buttons', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/posts/new');
  const { posts, profile } = ownerClient(app.baseUrl, token).studio;
  await page.getByRole('textbox', { name: 'Title' }).fill('A boat');
  await page.getByRole('textbox', { name: 'Content' }).focus();
  await page.keyboard.type('It floats.');
  // Once the post is created, another button replaces the one under the pointer.
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Publish' }).hover();
  await page.getByRole('tooltip', { name: 'Ctrl Enter' }).waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText('“A boat” published').waitFor();
  expect((await posts.list.query({})).items).toMatchObject([{ content: 'It floats.', is_draft: false }]);

  await page.getByRole('link', { name: 'Profile' }).click();
  for (const [headline, key] of [
    ['Sails slowly', 'Control+s'],
    ['Sails fast', 'Control+Enter'],
  ] as const) {
    await page.getByRole('textbox', { name: 'Headline' }).fill(headline);
    await page.keyboard.press(key);
    await expect.poll(async () => (await profile.get.query()).headline).toBe(headline);
  }
  expect(faults).toEqual([]);
});

/** Clipboard contents of word processors, pages and editors, with their Markdown. */

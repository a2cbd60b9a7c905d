import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRenditions } from '../../worker/images/make-renditions.ts';
import { startApp } from '../support/app.ts';
import { pictureElement } from '../support/images.ts';
import { ownerClient } from '../support/rpc.ts';
import { openScreen, signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser, takeRefusal } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const fileOf = async (name: string, width: number) => ({
  name,
  mimeType: 'image/jpeg',
  buffer: await pictureElement('jpeg', { width, height: 300 }),
});

test('an owner uploads files, sees them and the problem of a broken one, and sees where a file is used before deleting it', async () => {
  await using app = await startApp();
  const { page, faults, context } = await browser.open();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const token = await signIn(app, page, '/media');
  await page.getByText('No files yet').waitFor();
  const broken = { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') };
  const files = [await fileOf('harbour.jpg', 500), broken, await fileOf('lighthouse.jpg', 600)];
  await page.locator('input[type=file]').setInputFiles(files);
  await page.getByText('2 files uploaded').waitFor();
  await page.getByText('broken.png: Unsupported file type').waitFor();
  await takeRefusal(faults, 415);
  await page.getByText('600 × 300').waitFor();

  const { media, posts } = ownerClient(app.baseUrl, token).studio;
  const { items } = await media.list.query({});
  const used = items.find(({ name }) => name === 'harbour.jpg');
  await posts.create.mutate({ title: 'By the sea', content: `![](${used?.url})` });
  while ((await makeRenditions(app.deps, new AbortController().signal)) === 0);
  await page.reload();
  await page.locator(`img[src="/media/${used?.id}/400/harbour.webp"]`).waitFor();
  await page.getByRole('button', { name: 'Actions for harbour.jpg' }).click();
  await page.getByRole('menuitem', { name: 'Copy URL' }).click();
  await page.getByText('URL copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${app.baseUrl}${used?.url}`);

  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Actions for harbour.jpg' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByText('Posts: By the sea').waitFor();
  await page.getByRole('button', { name: 'Delete file' }).click();
  await page.getByText('“harbour.jpg” deleted').waitFor();
  expect((await media.list.query({})).items.map(({ name }) => name)).toEqual(['lighthouse.jpg']);
  expect(faults).toEqual([]);
});

test('an owner protects a file before it is used, still sees it, and a used one stays as it is', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/media');
  await page.getByText('No files yet').waitFor();
  await page.locator('input[type=file]').setInputFiles([await fileOf('harbour.jpg', 500)]);
  const act = async (action: string) => {
    await page.getByRole('button', { name: 'Actions for harbour.jpg' }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await act('Protect');
  await page.getByRole('heading', { name: 'Protect “harbour.jpg”?' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Protect' }).click();
  await page.getByText('“harbour.jpg” protected').waitFor();
  const image = page.locator('main img');
  await expect.poll(() => image.getAttribute('src')).toContain('?until=');
  await expect.poll(() => image.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(500);
  await page.getByText('· Protected').waitFor();
  expect(await findViolations(page)).toEqual([]);

  const { media, posts } = ownerClient(app.baseUrl, token).studio;
  const [file] = (await media.list.query({})).items;
  const { id } = await posts.create.mutate({ title: 'By the sea', content: `![](${file?.url})` });
  await act('Make public');
  await page.getByRole('button', { name: 'Make public' }).click();
  await page.getByText('This file is in use. Remove it from your texts and settings first.').waitFor();
  await takeRefusal(faults, 409);
  await posts.update.mutate({ id, content: null });
  await act('Make public');
  await page.getByRole('button', { name: 'Make public' }).click();
  await page.getByText('“harbour.jpg” is public').waitFor();
  expect((await media.list.query({})).items).toMatchObject([{ protected: false, access: '' }]);
  expect(faults).toEqual([]);
});

test.each(['paste', 'drop'] as const)(
  'images added to a text by %s are uploaded and inserted as Markdown',
  async (way) => {
    await using app = await startApp();
    const { page, faults } = await browser.open();
    const token = await signIn(app, page, '/posts');
    const { posts } = ownerClient(app.baseUrl, token).studio;
    const { id } = await posts.create.mutate({ title: 'A boat', content: 'Before.\n', is_draft: true });
    await page.goto(`${app.baseUrl}/studio/posts/${id}`);
    const text = page.locator('.cm-content').first();
    await text.click();
    await page.keyboard.press('Control+End');
    // The drop position is computed from the font’s metrics.
    await page.evaluate(async () => void (await document.fonts.ready));
    const bytes = [...(await pictureElement('png', { width: 120, height: 80 }))];
    await text.evaluate(
      (position, { bytes, way }) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes)], 'my [boat].png', { type: 'image/png' }));
        data.items.add(new File(['%PDF-1.4\n1 0 obj\n'], 'my [plan].pdf', { type: 'application/pdf' }));
        const { x, y } = position.getBoundingClientRect();
        const about = { bubbles: true, cancelable: true };
        position.dispatchEvent(
          way === 'paste'
            ? new ClipboardEvent('paste', { ...about, clipboardData: data })
            : new DragEvent('drop', { ...about, dataTransfer: data, clientX: x + 20, clientY: y + 20 }),
        );
      },
      { bytes, way },
    );
    const inserted = String.raw`!\[\]\(/media/[a-z0-9]{15}/my\S+\)\n\n\[my plan\]\(/media/[a-z0-9]{15}/my\S+\)`;
    await expect
      .poll(async () => (await posts.get.query({ id })).content)
      .toMatch(new RegExp(way === 'drop' ? `^Be${inserted}fore\\.\n$` : `^Before\\.\n\n${inserted}$`));
    expect(await text.textContent()).not.toContain('Uploading');
    expect(faults).toEqual([]);
  },
);

test('an image chosen at the end of a paragraph is inserted below it, and within a line at the cursor', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/posts');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', is_draft: true });
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  const text = page.getByRole('textbox', { name: 'Content' });
  for (const [before, between] of [
    ['We set out at dawn.', '\n\n'],
    ['10 boats *followed*', '\n\n'],
    ['The mark ', ''],
    ['- An item', ''],
    ['| A cell', ''],
  ] as const) {
    await text.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.type(before);
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles(await fileOf('boat.jpg', 40));
    await expect
      .poll(async () => {
        await page.keyboard.press('Control+s');
        return (await posts.get.query({ id })).content;
      })
      .toMatch(new RegExp(`^${RegExp.escape(before)}${between}!\\[\\]\\(/media/[^)]*boat\\.jpg\\)$`));
  }
  expect(faults).toEqual([]);
});

test('without a domain per site, tabs of several sites each show their own images', async () => {
  await using app = await startApp();
  const there = [await app.seed.owner(), await app.seed.owner(await app.seed.site())];
  const { context } = await browser.open();
  const pages = await Promise.all(
    there.map(async (login, at) => {
      const page = await context.newPage();
      await signIn(app, page, '/media', login);
      await page.locator('input[type=file]').setInputFiles(await fileOf(`of-${at}.jpg`, 500));
      await page.getByText('File uploaded').waitFor();
      return page;
    }),
  );
  for (const [at, page] of pages.entries()) {
    await page.bringToFront();
    await page.reload();
    const shown = page.getByRole('link', { name: `of-${at}.jpg` }).locator('img');
    await expect.poll(() => shown.evaluate((image) => Reflect.get(image, 'naturalWidth'))).toBe(500);
    const source = await shown.getAttribute('src');
    await openScreen(page, '/studio/posts/new');
    await page.locator('.cm-content').fill(`![In a text](${source})`);
    await page.getByText('Preview', { exact: true }).click();
    const inText = page.frameLocator('iframe').getByRole('img', { name: 'In a text' });
    await expect.poll(() => inText.evaluate((image) => Reflect.get(image, 'naturalWidth'))).toBe(500);
  }
});

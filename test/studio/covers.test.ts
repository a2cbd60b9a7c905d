import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { pictureElement } from '../support/images.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

/** Different widths, because identical files are stored once. */
const imageFile = async (name: string, width: number) => ({
  name,
  mimeType: 'image/jpeg',
  buffer: await pictureElement('jpeg', { width, height: 900 }),
});

test('an owner uploads or chooses a post’s cover, describes it and removes it', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/media');
  const { media, posts } = ownerClient(app.baseUrl, token).studio;
  await page.locator('input[type=file]').setInputFiles(await imageFile('harbour.jpg', 1600));
  await page.getByText('File uploaded').waitFor();
  const { id } = await posts.create.mutate({ title: 'By the sea', is_draft: true });
  const covered = async () => (await posts.get.query({ id })).cover;
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  const cover = page.getByRole('group', { name: 'Cover' });

  await cover.locator('input[type=file]').setInputFiles(await imageFile('lighthouse.jpg', 1500));
  await cover.getByRole('img', { name: 'lighthouse.jpg' }).waitFor();
  const { items } = await media.list.query({});
  const idOf = (name: string) => items.find((file) => file.name === name)?.id;
  await expect.poll(covered).toBe(idOf('lighthouse.jpg'));

  await cover.getByText('No alternative text yet.').waitFor();
  await cover.getByRole('button', { name: 'Describe' }).click();
  await page.getByRole('textbox', { name: 'Alternative text' }).fill('A lighthouse at dusk');
  await page.getByRole('textbox', { name: 'Caption' }).fill('Off the cape, 2024');
  const point = page.getByRole('slider', { name: 'Distance from the left' });
  await point.focus();
  await page.keyboard.press('ArrowLeft');
  expect(await findViolations(page)).toEqual([]);
  const whole = await page.locator('img[draggable=false]').boundingBox();
  await page.locator('img[draggable=false]').click({ position: { x: 1, y: (whole?.height ?? 0) * 0.25 } });
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await cover.getByText('A lighthouse at dusk').waitFor();
  const said = await media.get.query({ id: idOf('lighthouse.jpg') ?? '' });
  expect(said).toMatchObject({ caption: 'Off the cape, 2024', focus: { y: 25 } });
  expect(said.focus?.x).toBeLessThan(3);
  expect(
    await cover
      .getByRole('img', { name: 'A lighthouse at dusk' })
      .evaluate((image) => getComputedStyle(image).objectPosition),
  ).toMatch(/ 25%$/);

  await cover.getByRole('button', { name: 'Describe' }).click();
  await page.getByRole('slider', { name: 'Distance from the top' }).press('ArrowRight');
  await media.update.mutate({ id: idOf('lighthouse.jpg') ?? '', focus: { x: 10, y: 20 } });
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('radio', { name: 'x 10, y 20' }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  await cover.locator('img[style*="10% 20%"]').waitFor();

  const chosen = Promise.withResolvers<void>();
  await page.route('**/api/admin/media', async (route) => {
    await chosen.promise;
    await route.continue();
  });
  await cover.locator('input[type=file]').setInputFiles(await imageFile('mole.jpg', 1400));
  await cover.getByText('Uploading mole.jpg').waitFor();
  await cover.getByRole('button', { name: 'Change' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'harbour.jpg' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'harbour.jpg' }).click();
  await expect.poll(covered).toBe(idOf('harbour.jpg'));
  chosen.resolve();
  await page.getByText('File uploaded').waitFor();
  await cover.getByRole('img', { name: 'harbour.jpg' }).waitFor();
  await media.delete.mutate({ id: idOf('harbour.jpg') ?? '' });
  await page.reload();
  await cover.getByText('This image was deleted.').waitFor();
  await cover.getByRole('button', { name: 'Remove' }).click();
  await expect.poll(covered).toBe('');
  faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes('status of 404')));
  expect(faults).toEqual([]);
});

test('title and description for search engines and link previews can be edited with a preview', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const content = '# Knots\n\nA *bowline* [holds](https://example.com).';
  const { id } = await posts.create.mutate({ title: 'Knots', content, is_draft: true });
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  expect(await page.getByRole('textbox', { name: 'Meta title' }).count()).toBe(0);
  await page.getByText('Search preview and sharing').click();
  const [result, card] = [page.getByRole('figure').first(), page.getByRole('figure').last()];
  await result.getByText('› posts › knots').waitFor();
  await page.getByRole('textbox', { name: 'Meta title' }).fill('Knots that hold');
  await page.getByText('15 characters of about 60 shown').waitFor();
  await page.getByRole('textbox', { name: 'Meta description' }).fill('Seven knots, and when to tie them.');
  await result.getByText('Knots that hold').waitFor();
  await card.getByText('Seven knots, and when to tie them.').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await expect
    .poll(() => posts.get.query({ id }))
    .toMatchObject({
      meta_title: 'Knots that hold',
      meta_description: 'Seven knots, and when to tie them.',
    });
  expect(faults).toEqual([]);
});

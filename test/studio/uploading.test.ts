import type { Page } from 'playwright-core';
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

/** Delays uploads until `arrive` or `fail` is called. */
async function holdUploads(page: Page) {
  const { promise, resolve } = Promise.withResolvers<'continue' | 'abort'>();
  await page.route('**/api/admin/media', async (route) => route[await promise]());
  return { arrive: () => resolve('continue'), fail: () => resolve('abort') };
}

const choose = async (page: Page, names: string[]) => {
  const opened = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Image or file' }).click();
  const files = names.map(async (name, index) => ({
    name,
    mimeType: 'image/png',
    buffer: await pictureElement('png', { width: 120 + index, height: 80 }),
  }));
  await (await opened).setFiles(await Promise.all(files));
};

test('a draft saved during uploads contains no trace of them, and afterwards the files in order', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/posts');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', content: 'Before. ', is_draft: true });
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  const uploads = await holdUploads(page);
  await page.getByRole('textbox', { name: 'Content' }).click();
  await page.keyboard.press('Control+End');
  await choose(page, ['one.png', 'two.png']);
  await page.getByText('Uploading one.png').waitFor();
  await page.keyboard.type(' After.');
  await expect.poll(async () => (await posts.get.query({ id })).content).toBe('Before.  After.');
  // Hide the button’s tooltip, which is outside of every landmark.
  await page.mouse.move(4, 4);
  await page.getByRole('tooltip').waitFor({ state: 'hidden' });
  expect(await findViolations(page)).toEqual([]);

  uploads.arrive();
  const inserted = /^Before\. !\[\]\(\/media\/\S+one\.png\)\n\n!\[\]\(\/media\/\S+two\.png\) After\.$/;
  await expect.poll(async () => (await posts.get.query({ id })).content).toMatch(inserted);
  expect(await page.getByText('Uploading').count()).toBe(0);
  expect(faults).toEqual([]);
});

test('leaving or publishing during an upload asks for confirmation, and a failed file is reported', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/posts');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', content: 'Before.', is_draft: true });
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  const uploads = await holdUploads(page);
  await page.getByRole('textbox', { name: 'Content' }).click();
  await page.keyboard.press('Control+End');
  await choose(page, ['boat.png']);
  await page.getByText('Uploading boat.png').waitFor();

  const question = page.getByRole('dialog', { name: 'A file is still uploading' });
  await page.getByRole('link', { name: 'Media', exact: true }).click();
  await question.getByRole('button', { name: 'Leave' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Publish' }).click();
  await question.getByRole('button', { name: 'Save without it' }).waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await posts.get.query({ id })).toMatchObject({ is_draft: true });

  uploads.fail();
  await page.getByText(/^boat\.png: The service can’t be reached/).waitFor();
  await page.getByText('Uploading boat.png').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('“A boat” published').waitFor();
  expect(await posts.get.query({ id })).toMatchObject({ content: 'Before.' });
  await expect.poll(() => faults).toEqual([expect.stringContaining('net::ERR_FAILED')]);
});

test('an image is never described by its file name: the writer is asked, and a stored description is inserted', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/posts');
  const { posts, media } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', content: 'Before.\n', is_draft: true });
  const content = async () => (await posts.get.query({ id })).content;
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  const text = page.getByRole('textbox', { name: 'Content' });
  await text.click();
  await page.keyboard.press('Control+End');
  await choose(page, ['IMG_2031.png']);
  const question = text.getByText('Describe this image');
  await question.waitFor();
  await expect.poll(content).toMatch(/^Before\.\n\n!\[\]\(\/media\/\S+IMG_2031\.png\)$/);
  await page.mouse.move(4, 4);
  await page.getByRole('tooltip').waitFor({ state: 'hidden' });
  expect(await findViolations(page)).toEqual([]);
  await question.click();
  await page.keyboard.type('A [red] boat');
  await question.waitFor({ state: 'hidden' });
  await expect.poll(content).toMatch(/!\[A \[red\] boat\]\(\S+\)$/);

  const { items } = await media.list.query({});
  await media.update.mutate({ id: items[0]?.id ?? '', alt: 'A [red]\nboat', caption: 'By "Ada"' });
  await page.keyboard.press('Control+End');
  await choose(page, ['IMG_2031.png']);
  await expect.poll(content).toMatch(/\n\n!\[A red boat\]\(\S+ "By \\"Ada\\""\)$/);
  expect(faults).toEqual([]);
});

test('an uploading file keeps its position when changes are discarded', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/posts');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', content: 'Before. After.' });
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  const uploads = await holdUploads(page);
  const content = page.getByRole('textbox', { name: 'Content' });
  await content.click();
  await page.keyboard.press('Control+End');
  for (const _ of 'After.') await page.keyboard.press('ArrowLeft');
  await choose(page, ['boat.png']);
  await page.getByText('Uploading boat.png').waitFor();
  await content.press('Control+End');
  await page.keyboard.type(' Ever after.');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await content.getByText('Ever after').waitFor({ state: 'hidden' });
  uploads.arrive();
  await content.locator('.cm-picture').waitFor();
  expect(await content.textContent()).toBe('Before. Describe this imageAfter.');
  expect(faults).toEqual([]);
});

test('a new post that gets its URL during an upload does not ask about leaving, and keeps the file', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/posts/new');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const uploads = await holdUploads(page);
  await page.getByRole('textbox', { name: 'Content' }).click();
  await choose(page, ['boat.png']);
  await page.getByText('Uploading boat.png').waitFor();
  await page.getByRole('textbox', { name: 'Title' }).fill('A boat');
  await page.waitForURL(/\/studio\/posts\/[a-z0-9]{15}$/);
  uploads.arrive();
  const content = async () => (await posts.list.query({})).items.map((post) => post.content);
  await expect.poll(content).toEqual([expect.stringMatching(/^!\[\]\(\/media\/\S+boat\.png\)$/)]);
  expect(faults).toEqual([]);
});

test('a lesson is saved without an uploading file only after confirmation', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/courses');
  const { courses, modules, lessons, curriculum } = ownerClient(app.baseUrl, token).studio;
  const course = await courses.create.mutate({ title: 'Sailing' });
  await modules.create.mutate({ course_id: course.id, title: 'Knots' });
  await page.goto(`${app.baseUrl}/studio/courses/${course.id}/curriculum`);
  const uploads = await holdUploads(page);
  const form = page.getByRole('dialog', { name: 'Add lesson' });
  await page.getByRole('button', { name: 'Add lesson' }).click();
  await form.getByRole('textbox', { name: 'Title' }).fill('Bowline');
  await form.getByRole('textbox', { name: 'Content' }).click();
  await choose(page, ['rabbit.png']);
  await page.getByText('Uploading rabbit.png').waitFor();
  await form.getByRole('button', { name: 'Add lesson' }).click();
  const question = page.getByRole('dialog', { name: 'A file is still uploading' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  uploads.arrive();
  await form.getByText('Describe this image').waitFor();
  await form.getByRole('button', { name: 'Add lesson' }).click();
  await form.waitFor({ state: 'hidden' });
  const [module] = (await curriculum.get.query({ course_id: course.id })).modules;
  const [lesson] = module?.lessons ?? [];
  expect(await lessons.get.query({ id: lesson?.id ?? '' })).toMatchObject({
    title: 'Bowline',
    content: expect.stringMatching(/^!\[\]\(\/media\/\S+rabbit\.png\)$/),
  });
  expect(faults).toEqual([]);
});

test('the progress of an upload is shown at the file’s position', async () => {
  await using app = await startApp();
  const { page, context, faults } = await browser.open();
  await signIn(app, page, '/posts/new');
  const network = await context.newCDPSession(page);
  const throughput = { latency: 0, downloadThroughput: -1, uploadThroughput: 100_000 };
  await page.getByRole('textbox', { name: 'Content' }).focus();
  await network.send('Network.emulateNetworkConditions', { offline: false, ...throughput });
  const opened = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Image or file' }).click();
  const buffer = Buffer.concat([
    await pictureElement('jpeg', { width: 900, height: 600 }),
    Buffer.alloc(400_000),
  ]);
  await (await opened).setFiles({ name: 'large.jpg', mimeType: 'image/jpeg', buffer });
  await page.locator('.cm-upload', { hasText: /^Uploading large.jpg, [1-9]0 %…$/ }).waitFor();
  await page.locator('.cm-content', { hasText: 'large.jpg)' }).waitFor();
  expect(faults).toEqual([]);
});

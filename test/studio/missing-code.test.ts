import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtStudio } from '../../server/start/compose.ts';
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

const missing = { name: 'This part of the studio couldn’t be loaded' };

/** Removes a file of the studio, as an update does, until the returned function is called. */
async function makeUnavailable(page: Page, chunk: string) {
  let isAway = true;
  await page.route(`**/studio/assets/${chunk}-*.js`, (route) =>
    isAway ? route.fulfill({ status: 404, body: '{}', contentType: 'application/json' }) : route.continue(),
  );
  return () => {
    isAway = false;
  };
}

const look = async (page: Page, name: string) => {
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${name}.png` });
};

test.each([
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const)(
  'a screen that cannot load offline shows a message, and loads when the network returns: $colorScheme',
  async ({ colorScheme, width }) => {
    await using app = await startApp();
    const { page, context } = await browser.open({ colorScheme, viewport: { width, height: 844 } });
    await signIn(app, page, '/posts');
    await page.getByRole('heading', { name: 'No posts yet' }).waitFor();
    await page.waitForLoadState('networkidle');
    await context.setOffline(true);
    const go = async (name: string) => {
      if (width < 768) await page.getByRole('button', { name: 'Open navigation' }).click();
      await page.getByRole('link', { name, exact: true }).click();
    };
    await go('Media');
    await page.getByRole('heading', missing).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await look(page, `missing-${colorScheme}`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', missing).waitFor();
    await context.setOffline(false);
    await page.getByText('No files yet').waitFor();
    await context.close();
  },
);

test('after an update a screen loads by trying again, and values typed before are kept and saved', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  const token = await signIn(app, page, '/posts');
  const { posts } = ownerClient(app.baseUrl, token).studio;
  const { id } = await posts.create.mutate({ title: 'Boats' });
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Boats at sea');
  const giveBack = await makeUnavailable(page, 'media-page');
  await page.getByRole('link', { name: 'Media', exact: true }).click();
  await page.getByRole('heading', missing).waitFor();
  giveBack();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No files yet').waitFor();
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  await page.getByText(/These are your unpublished changes from/).waitFor();
  expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Boats at sea');
  await context.close();
});

test('a part of a form whose code is missing shows a message, and the form keeps its values', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  const giveBack = await makeUnavailable(page, 'markdown-editor');
  await signIn(app, page, '/posts/new');
  await page.getByRole('heading', missing).waitFor();
  await page.getByRole('textbox', { name: 'Title' }).fill('Boats');
  await page.waitForURL(/\/studio\/posts\/[a-z0-9]{15}$/);
  giveBack();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('textbox', { name: 'Content' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Boats');
  await context.close();
});

test('a cached page from before an update loads the new version by itself', async () => {
  await using built = await copyOf(builtStudio);
  await using app = await startApp({ config: { studioDir: built.path } });
  const { page, context } = await browser.open();
  await signIn(app, page, '/../healthz');
  const missed: string[] = [];
  page.on('response', (answer) => answer.status() === 404 && missed.push(new URL(answer.url()).pathname));
  await built.takeCodeAway();
  await page.goto(`${app.baseUrl}/studio/posts`);
  await page.getByText('Loading the studio…').waitFor();
  await built.update();
  await page.goto(`${app.baseUrl}/studio/posts`);
  await page.getByRole('heading', { name: 'No posts yet' }).waitFor();
  expect(missed).toEqual([built.oldCode, built.oldCode]);
  await context.close();
});

/** A copy of the build, whose code can be renamed as by an update. */
async function copyOf(studioDir: string) {
  const path = await mkdtemp(join(tmpdir(), 'studio-'));
  await cp(studioDir, path, { recursive: true });
  const page = join(path, 'index.html');
  const html = await readFile(page, 'utf8');
  const [, name = ''] = /src="\/studio\/assets\/(index-.*?\.js)"/.exec(html) ?? [];
  return {
    path,
    oldCode: `/studio/assets/${name}`,
    async takeCodeAway() {
      for (const ending of ['', '.br', '.gz'])
        await rename(join(path, 'assets', name + ending), join(path, 'assets', `new-${name}${ending}`));
    },
    update: () => writeFile(page, html.replace(name, `new-${name}`)),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, noTraffic, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const paste = async (page: Page, text: string) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.keyboard.press('Control+v');
};

/** Counts how often an input with this placeholder appears from here on. */
async function watchFor(page: Page, placeholder: string) {
  await page.evaluate((words) => {
    let count = 0;
    let wasThere = false;
    new MutationObserver(() => {
      const isThere = document.querySelector(`[placeholder="${words}"]`) !== null;
      if (isThere && !wasThere) count++;
      wasThere = isThere;
      Reflect.set(globalThis, 'seen', count);
    }).observe(document.body, { childList: true, subtree: true });
  }, placeholder);
  return () => page.evaluate<number>(() => Reflect.get(globalThis, 'seen'));
}

test('numbers with decimals and zeros can be typed and pasted, and are saved as entered', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { courses } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await courses.create.mutate({ title: 'Sailing', price: 3 });
  await signIn(app, page, `/courses/${id}`);
  const price = page.getByRole('textbox', { name: 'Price' });
  const hours = page.getByRole('textbox', { name: 'Duration in hours' });
  const shown = () => Promise.all([price.inputValue(), hours.inputValue()]);
  const save = async () => {
    await page.keyboard.press('Control+s');
    await page.getByText('“Sailing” updated').last().waitFor();
    await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
    const { price: saved, estimated_hours } = await courses.get.query({ id });
    return [saved, estimated_hours];
  };

  await price.press('Control+a');
  await price.pressSequentially('19.99');
  await hours.pressSequentially('0.5');
  expect(await shown()).toEqual(['19.99', '0.5']);
  expect(await save()).toEqual([19.99, 0.5]);

  await price.press('Control+a');
  await paste(page, '49.50');
  await hours.press('Control+a');
  await hours.pressSequentially('1,05');
  expect(await shown()).toEqual(['49.5', '1.05']);
  expect(await save()).toEqual([49.5, 1.05]);

  await price.press('Control+a');
  await price.pressSequentially('7.');
  expect(await price.inputValue()).toBe('7.');
  await hours.press('Control+a');
  await hours.press('Delete');
  expect(await save()).toEqual([7, null]);
  expect(await shown()).toEqual(['7', '']);
  expect(faults).toEqual([]);
});

test('tags of other posts are suggested by frequency, in their existing spelling', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  await posts.create.mutate({ title: 'Hulls', tags: ['Woodwork', 'Sailing'] });
  await posts.create.mutate({ title: 'Masts', tags: ['Sailing'], is_draft: true });
  const { id } = await posts.create.mutate({ title: 'Boats' });
  await signIn(app, page, `/posts/${id}`);
  const tags = page.getByRole('combobox', { name: 'Tags' });
  const options = page.getByRole('option');
  await tags.click();
  await options.first().waitFor();
  expect(await options.allTextContents()).toEqual(['Sailing', 'Woodwork']);
  await tags.pressSequentially('wood');
  await page.getByRole('option', { name: 'Woodwork' }).click();
  await tags.pressSequentially('Oars,');
  await page.keyboard.press('Control+s');
  await page.getByText('“Boats” updated').waitFor();
  expect(await posts.get.query({ id })).toMatchObject({ tags: ['Woodwork', 'Oars'] });
  expect(faults).toEqual([]);
});

test('a tag is not suggested again in another spelling, and further typing requests no new suggestions', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  await posts.create.mutate({ title: 'Masts', tags: ['Sailing', 'Rigging'] });
  const { id } = await posts.create.mutate({ title: 'Boats', tags: ['sailing'], is_draft: true });
  await signIn(app, page, `/posts/${id}`);
  const requested: string[] = [];
  page.on('request', (request) => {
    if (decodeURIComponent(request.url()).includes('"fields":["tags"]')) requested.push(request.url());
  });
  await page.getByRole('combobox', { name: 'Tags' }).click();
  const options = page.getByRole('option');
  await options.first().waitFor();
  expect(await options.allTextContents()).toEqual(['Rigging']);
  for (const title of ['More boats', 'Many boats']) {
    await page.getByRole('textbox', { name: 'Title' }).fill(title);
    await expect.poll(async () => (await posts.get.query({ id })).title).toBe(title);
    await noTraffic(page);
  }
  expect(requested).toHaveLength(1);
  expect(faults).toEqual([]);
});

test.each([
  ['/posts', 'Search posts'],
  ['/members', 'Find by name or email'],
])(
  'a search in %s keeps a trailing space however long typing pauses, and follows the address',
  async (screen, label) => {
    await using app = await startApp();
    const { page, faults } = await browser.open();
    await ownerClient(app.baseUrl, await app.seed.ownerToken()).studio.posts.create.mutate({
      title: 'Boats',
    });
    await app.deps.database.em.execute(
      `insert into members (site_id, id, email, name, status, access_tiers, created, updated)
      values (?, 'member000000001', 'ada@example.com', 'Ada', 'active', '{}', now(), now())`,
      [await app.seed.ownSite()],
    );
    await signIn(app, page, screen);
    const words = page.getByRole('searchbox', { name: label });
    await words.pressSequentially('grace ');
    await page.waitForURL(/[?&]q=grace$/);
    await page.getByRole('heading', { name: 'No results' }).waitFor();
    await words.pressSequentially('lin');
    await page.waitForURL(/[?&]q=grace(\+|%20)lin$/);
    expect(await words.inputValue()).toBe('grace lin');

    await page.getByRole('button', { name: 'Show everything' }).click();
    await page.waitForURL((url) => !url.searchParams.get('q'));
    await expect.poll(() => words.inputValue()).toBe('');
    await words.pressSequentially('grace');
    await page.waitForURL(/[?&]q=grace$/);
    expect(await words.inputValue()).toBe('grace');
    expect(faults).toEqual([]);
  },
);

test('Control+S and Control+K work in all inputs, but the palette does not open over a dialog', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Boats' });
  await signIn(app, page, `/posts/${id}`);
  const body = page.getByRole('textbox', { name: 'Content' });
  const palette = page.getByPlaceholder('Search or jump to…');
  await body.click();
  await page.keyboard.type('They sail.');
  await page.keyboard.press('Control+s');
  await page.getByText('“Boats” updated').waitFor();
  expect(await posts.get.query({ id })).toMatchObject({ content: 'They sail.' });

  for (const input of [body, page.getByRole('textbox', { name: 'Title' })]) {
    await input.press('Home');
    await input.press('Control+k');
    await palette.waitFor();
    await palette.press('Escape');
    await palette.waitFor({ state: 'hidden' });
  }
  expect(await body.textContent()).toBe('They sail.');

  await page.goto(`${app.baseUrl}/studio/purchases`);
  await page.getByRole('button', { name: 'Record purchase' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Record purchase' });
  const seen = await watchFor(page, 'Search or jump to…');
  await dialog.getByRole('textbox', { name: /mail/ }).press('Control+k');
  await dialog.getByRole('button', { name: 'Cancel' }).press('Control+k');
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  await page.keyboard.press('Control+k');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.keyboard.press('Control+k');
  await palette.waitFor();
  // The code is loaded already, so no delayed key press is pending.
  expect(await seen()).toBe(1);
  expect(faults).toEqual([]);
});

test('on a Mac the shortcuts use Command, and Control+K edits the text', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open({
    userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/141 Safari/537.36',
  });
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Boats' });
  await signIn(app, page, `/posts/${id}`);
  const title = page.getByRole('textbox', { name: 'Title' });
  const palette = page.getByPlaceholder('Search or jump to…');
  await title.fill('More boats');
  await title.press('Control+k');
  await title.press('Meta+s');
  await page.getByText('“More boats” updated').waitFor();
  expect(await palette.count()).toBe(0);
  await title.press('Meta+k');
  await palette.waitFor();
  expect(faults).toEqual([]);
});

test('a month is typed with the text keyboard, because phones’ numeric keyboards lack a hyphen', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { experience } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  await signIn(app, page, '/experience/new');
  await page.getByRole('textbox', { name: 'Role' }).fill('Typist');
  await page.getByRole('textbox', { name: 'Company' }).fill('Keys & Sons');
  const start = page.getByRole('textbox', { name: 'From' });
  expect(await start.getAttribute('inputmode')).toBeNull();
  await start.pressSequentially('2021-03');
  await page.waitForURL(/\/studio\/experience\/[a-z0-9]{15}$/);
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  expect((await experience.list.query({})).items).toMatchObject([{ start_date: '2021-03' }]);
  expect(faults).toEqual([]);
});

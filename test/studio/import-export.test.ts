import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transfersPath } from '../../shared/contract/features/import-export.ts';
import { serverWaits } from '../../shared/db/database-timeouts.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { archiveOf, temporaryFolder } from '../support/archives.ts';
import { eventually } from '../support/eventually.ts';
import { ownerClient } from '../support/rpc.ts';
import { siteLockHolders } from '../support/site-lock-holders.ts';
import { openScreen, signIn } from '../support/studio.ts';
import { startProxy } from '../support/tcp-proxy.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const samples = path.join(import.meta.dirname, '../samples');

const chooseFile = (page: Page, file: string | { name: string; mimeType: string; buffer: Buffer }) =>
  page.locator('input[type=file]').first().setInputFiles(file);

/** Parses a formatted number, such as 1,234. */
const countOf = (shown: string) => Number(shown.replaceAll(',', ''));

/** Returns the counts in a table, by the name of their row. */
async function sumsOf(page: Page, title: string) {
  const rows = page.getByRole('table', { name: title }).locator('tbody tr');
  const cells = await rows.evaluateAll((all) =>
    all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')),
  );
  return Object.fromEntries(cells.map(([what = '', ...counts]) => [what, counts.map(countOf)]));
}

test('an owner downloads the archive of the site', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/import-export');
  await ownerClient(app.baseUrl, token).studio.posts.create.mutate({ title: 'Packed' });

  const begun = page.waitForEvent('download');
  // The message disappears after four seconds. Storing the download may take longer.
  const told = page.getByText('Your browser is downloading the archive').waitFor();
  await page.getByRole('button', { name: 'Download archive' }).click();
  const [download] = await Promise.all([begun, told]);
  const file = path.join(await temporaryFolder(), 'site.tar.gz');
  await download.saveAs(file);

  expect(download.suggestedFilename()).toMatch(/^site-\d{4}-\d\d-\d\d\.tar\.gz$/);
  expect(await readFile(file)).toEqual(await archiveOf(app, await app.seed.ownSite()));
  expect(page.url()).toContain('/studio/import-export');
  expect(faults).toEqual([]);
});

test('a file is checked, its problems are explained, and it is imported once', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/import-export');
  const { studio } = ownerClient(app.baseUrl, token);

  await chooseFile(page, { name: 'diary.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear diary') });
  await page.getByText('the file is neither an archive of a site').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Choose another file' }).click();

  await chooseFile(page, path.join(samples, 'ghost.json'));
  await page.getByRole('heading', { name: 'Preview of the import' }).waitFor();
  expect(await sumsOf(page, 'Preview of the import')).toMatchObject({ Posts: [3, 0, 1], Members: [2, 0, 1] });
  await page
    .getByText('Not imported: the export has its text only in the format of Ghost’s editor, without HTML')
    .waitFor();
  await page.getByText('email: must be an email address').waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect((await studio.posts.list.query({})).total).toBe(0);

  await page.getByRole('button', { name: 'Import 9 entries' }).click();
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  expect(await sumsOf(page, 'Result')).toMatchObject({ Posts: [3, 0, 1], Members: [2, 0, 1] });
  expect((await studio.posts.list.query({})).total).toBe(3);

  await page.getByRole('button', { name: 'Choose another file' }).click();
  await chooseFile(page, path.join(samples, 'ghost.json'));
  await page.getByText('This file contains nothing new.').waitFor();
  expect(faults).toEqual([]);
});

test('a list of subscribers is imported only after the owner confirms their consent', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/import-export');
  const buffer = Buffer.from('email;name\nada@example.com;Ada\ngrace@example.com;Grace\nno address;\n');
  await chooseFile(page, { name: 'people.csv', mimeType: 'text/csv', buffer });
  const begin = page.getByRole('button', { name: 'Import 2 entries' });
  await begin.waitFor();
  expect(await begin.isDisabled()).toBe(true);
  expect(await page.getByRole('radio').count()).toBe(0);
  expect(await findViolations(page)).toEqual([]);
  await page
    .getByRole('checkbox', { name: 'Everyone in this list agreed to receive mail from this site' })
    .check();
  await begin.click();
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  expect(await sumsOf(page, 'Result')).toEqual({ Subscribers: [2, 0, 1] });
  const { items } = await ownerClient(app.baseUrl, token).studio.subscribers.list.query({});
  expect(items.map(({ email }) => email).toSorted()).toEqual(['ada@example.com', 'grace@example.com']);
  expect(faults).toEqual([]);
});

test('a list with possible consent columns is imported by the owner’s answers, which can be changed', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/import-export');
  const buffer = Buffer.from(
    'email;Einwilligung;Abo\nada@example.com;ja;1\ngrace@example.com;nein;1\nlin@example.com;;2\n',
  );
  await chooseFile(page, { name: 'people.csv', mimeType: 'text/csv', buffer });
  const consent = page.getByRole('group', { name: 'Column “Einwilligung”' });
  const subscription = page.getByRole('group', { name: 'Column “Abo”' });
  const check = page.getByRole('button', { name: 'Check with these answers' });
  await consent.waitFor();
  expect(await consent.getByRole('checkbox').count()).toBe(4);
  expect(await check.isDisabled()).toBe(true);
  expect(await findViolations(page)).toEqual([]);
  await consent.getByRole('checkbox', { name: 'ja' }).check();
  expect(await check.isDisabled()).toBe(true);
  await subscription.getByRole('checkbox', { name: 'Ignore this column' }).check();
  expect(await subscription.getByRole('checkbox', { name: '1' }).isDisabled()).toBe(true);
  await check.click();
  await page
    .getByText('Not imported: you did not allow mail for “nein” in the column “Einwilligung”')
    .waitFor();
  expect(await sumsOf(page, 'Preview of the import')).toEqual({ Subscribers: [1, 2, 0] });

  await page.getByRole('button', { name: 'Change answers' }).click();
  expect(await consent.getByRole('checkbox', { name: 'ja' }).isChecked()).toBe(true);
  await consent.getByRole('checkbox', { name: 'No value' }).check();
  await check.click();
  const begin = page.getByRole('button', { name: 'Import 2 entries' });
  await begin.waitFor();
  await page
    .getByRole('checkbox', { name: 'Everyone in this list agreed to receive mail from this site' })
    .check();
  await begin.click();
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  const { items } = await ownerClient(app.baseUrl, token).studio.subscribers.list.query({});
  expect(items.map(({ email }) => email).toSorted()).toEqual(['ada@example.com', 'lin@example.com']);
  expect(faults).toEqual([]);
});

test('a folder of Markdown is imported, whatever its file names, and an open list shows the posts', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/import-export');
  const folder = await temporaryFolder();
  const long = `${'ä long näme '.repeat(9)}.md`;
  await writeFile(path.join(folder, long), '---\ntitle: Of a long name\n---\nWords.');
  await writeFile(path.join(folder, 'short.md'), '# Short\n\nMore words.');
  await writeFile(path.join(folder, 'picture.jpg'), 'no text');

  await page.locator('input[webkitdirectory]').setInputFiles(folder);
  await page.getByText('Not imported: no post or page uses this file').waitFor();
  const elsewhere = Promise.withResolvers<void>();
  await page.route(`**${transfersPath}/**`, async (route) => {
    await elsewhere.promise;
    await route.continue();
  });
  expect(await page.getByRole('radio', { name: 'Keep what is public' }).isChecked()).toBe(true);
  await page.getByRole('radio', { name: 'Import all as drafts' }).check();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Import 2 entries' }).click();
  await openScreen(page, '/posts');
  await page.getByRole('heading', { name: 'No posts yet' }).waitFor();
  elsewhere.resolve();
  await page.getByRole('link', { name: 'Of a long name' }).waitFor();

  const { items } = await ownerClient(app.baseUrl, token).studio.posts.list.query({});
  expect(items.map(({ title, content, is_draft }) => [title, content, is_draft]).toSorted()).toEqual([
    ['Of a long name', 'Words.', true],
    ['Short', expect.stringContaining('More words.'), true],
  ]);
  expect(faults).toEqual([]);
});

test('an import with a broken connection reports its progress, and can be continued after visiting another screen', async () => {
  await using app = await startApp({ waits: { ...serverWaits, lockMs: 60_000, transactionMs: 60_000 } });
  await using proxy = await startProxy({ port: Number(new URL(app.baseUrl).port) });
  const { page, faults } = await browser.open();
  const token = await signIn({ ...app, baseUrl: `http://127.0.0.1:${proxy.port}` }, page, '/import-export');
  const { studio } = ownerClient(app.baseUrl, token);
  const at = '2024-01-01T00:00:00.000Z';
  const times = { published_at: at, created_at: at, updated_at: at };
  const posts = Array.from({ length: 3_000 }, (_, number) => ({
    id: `post${number}`,
    title: `Post ${number}`,
    html: '<p>Words</p>',
    status: 'published',
    type: 'post',
    ...times,
  }));
  const buffer = Buffer.from(JSON.stringify({ db: [{ meta: {}, data: { posts } }] }));
  await chooseFile(page, { name: 'large.json', mimeType: 'application/json', buffer });
  await using other = await holdSlug(app, 'post-2500');
  await page.getByRole('button', { name: 'Import 3,000 entries' }).click();
  await page.getByText('2,400 of 3,000 entries').waitFor();
  proxy.refuse();
  await page.getByText('The connection was lost.').waitFor();
  // Shows the reason if a post is refused.
  expect(await page.getByText('Not imported').allTextContents()).toEqual([]);
  expect(await sumsOf(page, 'Result')).toEqual({ Posts: [2_400, 0, 0] });
  await other.letGo();
  await eventually(async () => (await siteLockHolders(app)).length === 0);
  const { total: arrived } = await studio.posts.list.query({});
  expect(arrived).toBeLessThan(3_000);
  proxy.accept();

  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'To do' }).waitFor();
  await page.locator('summary').getByText('More').click();
  await page.getByRole('link', { name: 'Export and import' }).click();
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  expect(await sumsOf(page, 'Result')).toEqual({ Posts: [3_000 - arrived, arrived, 0] });
  expect((await studio.posts.list.query({})).total).toBe(3_000);
  // The browser may report the broken connection long after it is restored.
  expect(faults.filter((fault) => !fault.includes('net::ERR'))).toEqual([]);
});

/** Locks a post's slug, on a connection without the server's time limits. */
async function holdSlug({ databaseUrl, seed }: TestApp, slug: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query(`select lock_slug('posts', $1, $2)`, [await seed.ownSite(), slug]);
  const letGo = () => client.end();
  return { letGo, [Symbol.asyncDispose]: letGo };
}

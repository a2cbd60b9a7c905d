import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillWithExample } from '../../server/demo/fill.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { createHands, type Hands } from '../support/hands.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
let app: TestApp;
let page: Page;
let faults: string[];
let hands: Hands;
let records: { post: string; course: string; webhook: string };
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
  app = await startApp();
  await fillWithExample(app.deps, await app.seed.ownSite());
  ({ page, faults } = await browser.open());
  hands = createHands(page);
  const token = await signIn(app, page, '/');
  const { studio, admin } = ownerClient(app.baseUrl, token);
  const { id: post } = await studio.posts.create.mutate({ title: 'By keys', is_draft: true });
  await studio.posts.update.mutate({ id: post, title: 'By keys alone' });
  const { id: course } = await studio.courses.create.mutate({ title: 'Typing' });
  const { id: gone } = await studio.skills.create.mutate({ name: 'Clicking' });
  await studio.skills.delete.mutate({ id: gone });
  await studio.purchases.list.query({});
  const url = 'https://hooks.example.com/keys';
  const { id: webhook } = await admin.webhooks.create.mutate({ url, events: ['content.created'] });
  records = { post, course, webhook };
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

/** What is done on each screen, by keys alone; it ends with what the screen says. */
const screens: Record<string, { at(): string; work(): Promise<unknown> }> = {
  overview: {
    at: () => '/',
    work: async () => {
      await hands.reach('Chart');
      await page.keyboard.press('ArrowRight');
      await page.getByRole('table', { name: 'Views and visitors over time' }).waitFor();
      await hands.reach('7 days', '30 days', '90 days');
      await hands.reach('Members');
    },
  },
  list: {
    at: () => '/posts',
    work: async () => {
      await hands.use('Filter');
      await hands.choose('Featured');
      await page.locator('[role=dialog] input:focus').waitFor({ state: 'attached' });
      await page.keyboard.press('Space');
      await page.waitForURL(/featured=true/);
      await page.keyboard.press('Escape');
      await hands.use('Order: Newest first');
      await hands.choose('Oldest first');
      await page.waitForURL(/sort=created/);
    },
  },
  history: {
    at: () => `/posts/${records.post}/history`,
    work: async () => {
      await hands.use('Created');
      await hands.use('Restore this');
      await page.getByText(/^Restored as it was/).waitFor();
    },
  },
  curriculum: {
    at: () => `/courses/${records.course}/curriculum`,
    work: async () => {
      for (const title of ['Home row', 'Numbers']) {
        await hands.use('Add module');
        await page.getByRole('dialog').waitFor();
        await hands.reach('Title');
        await page.keyboard.type(title);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: title }).waitFor();
      }
      await hands.reach('Move “Home row”');
      for (const key of ['Space', 'ArrowDown', 'Space']) await page.keyboard.press(key);
      await expect
        .poll(() => page.getByRole('heading', { level: 2 }).allTextContents())
        .toEqual(['Numbers', 'Home row']);
    },
  },
  members: {
    at: () => '/members',
    work: async () => {
      await hands.use('Actions for');
      await hands.choose('Edit');
      await hands.use('May sign in', 'Space');
      await hands.use('Save');
      await page.getByText('Your changes are saved').waitFor();
    },
  },
  testimonials: {
    at: () => '/testimonials',
    work: async () => {
      await hands.use('Show what', 'Space');
      await page.getByText(/is (on|off) your site/).waitFor();
    },
  },
  purchases: {
    at: () => '/purchases',
    work: async () => {
      await hands.use('Record purchase');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('keys@example.com');
      await hands.reach('What was bought');
      await page.keyboard.type('By keys');
      await hands.choose('By keys');
      await hands.use('Record purchase');
      await page.getByText('The purchase of keys@example.com is recorded').waitFor();
    },
  },
  enrollments: {
    at: () => '/enrollments',
    work: async () => {
      await hands.use('Enrol somebody');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('keys@example.com');
      await hands.reach('Course');
      await page.keyboard.type('Typing');
      await hands.choose('Typing');
      await hands.use('Enrol somebody');
      await page.getByText('keys@example.com is enrolled').waitFor();
    },
  },
  profile: {
    at: () => '/profile',
    work: async () => {
      await hands.reach('Headline');
      await page.keyboard.type('Types without a mouse');
      await hands.use('Save', 'Enter', 'Shift+Tab');
      await page.getByText('Your changes are saved').waitFor();
    },
  },
  settings: {
    at: () => '/settings',
    work: async () => {
      await hands.reach('Name of the site');
      await page.keyboard.press('End');
      await page.keyboard.type(' by keys');
      await page.keyboard.press('Enter');
      await page.getByText('Your changes are saved').waitFor();
    },
  },
  'export and import': {
    at: () => '/moving',
    work: async () => {
      await hands.reach('Download archive');
      await hands.reach('Choose folder');
      const opened = page.waitForEvent('filechooser');
      await hands.use('Choose file', 'Enter', 'Shift+Tab');
      await (await opened).setFiles(path.join(import.meta.dirname, '../samples/ghost.json'));
      await page.getByRole('heading', { name: 'What would come of it' }).waitFor();
      await hands.use('Import 7 records');
      await page.getByRole('heading', { name: 'What came of it' }).waitFor();
    },
  },
  trash: {
    at: () => '/trash',
    work: async () => {
      await hands.use('Restore “Clicking”');
      await page.getByText('“Clicking” is restored').waitFor();
    },
  },
  'API keys': {
    at: () => '/tools/api-keys',
    work: async () => {
      await hands.use('Create key');
      await page.getByRole('dialog').waitFor();
      await hands.reach('Name');
      await page.keyboard.type('By keys');
      await hands.use('read', 'Space');
      await hands.use('Create key');
      await hands.use('I have copied it');
      await page.getByText('By keys', { exact: true }).waitFor();
    },
  },
  webhooks: {
    at: () => '/tools/webhooks',
    work: async () => {
      await hands.use('Add webhook');
      await page.getByRole('dialog').waitFor();
      await hands.reach('Address');
      await page.keyboard.type('https://hooks.example.com/more-keys');
      await hands.use('content.created', 'Space');
      await hands.use('Add webhook');
      await hands.use('I have copied it');
      await page.getByRole('link', { name: 'hooks.example.com/more-keys' }).waitFor();
    },
  },
  'one webhook': {
    at: () => `/tools/webhooks/${records.webhook}`,
    work: async () => {
      await hands.use('Actions for');
      await hands.choose('Switch off');
      await page.getByText('The webhook is switched off').waitFor();
    },
  },
  assistants: {
    at: () => '/tools/assistants',
    work: async () => {
      await hands.use('Assistants may connect', 'Space');
      await page.getByText('All assistants are shut out').waitFor();
    },
  },
};

test.each(Object.keys(screens))('%s can be worked by keyboard alone', async (name) => {
  const screen = screens[name];
  await page.goto(`${app.baseUrl}/studio${screen?.at()}`);
  await page.locator('h1').waitFor();
  await page.waitForLoadState('networkidle');
  await hands.use('Skip to content');
  await screen?.work();
  expect(faults).toEqual([]);
});

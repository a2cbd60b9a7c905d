import path from 'node:path';
import { pictureElement } from '../../support/images.ts';
import type { Steps } from './desk.ts';

/** Settings, media and people. */
export const site: Steps = {
  media: {
    at: () => '/media',
    work: async ({ page, hands }) => {
      const opened = page.waitForEvent('filechooser');
      await hands.use('Upload');
      const buffer = await pictureElement('jpeg', { width: 300, height: 200 });
      await (await opened).setFiles({ name: 'keys.jpg', mimeType: 'image/jpeg', buffer });
      await page.getByText('300 × 200').waitFor();
      await hands.use('Actions for keys.jpg');
      await hands.choose('Delete');
      await hands.dialog();
      await hands.use('Delete file');
      await page.getByText('“keys.jpg” deleted').waitFor();
    },
  },
  people: {
    at: () => '/people',
    work: async ({ page, hands }) => {
      await hands.use('Invite someone');
      await hands.dialog();
      await page.keyboard.type('typed@example.com');
      await hands.reach('Editor');
      await page.keyboard.press('ArrowDown');
      await hands.use('Send invitation');
      await page.getByRole('row').filter({ hasText: 'typed@example.com' }).getByText('Author').waitFor();
      await hands.use('Actions for typed@example.com');
      await hands.choose('Withdraw');
      await hands.dialog();
      await hands.use('Withdraw');
      await page.getByText('Invitation of typed@example.com withdrawn').waitFor();
    },
  },
  profile: {
    at: () => '/profile',
    work: async ({ page, hands, told }) => {
      await hands.reach('Headline');
      await page.keyboard.type('Types without a mouse');
      await hands.use('Save', 'Enter', 'Shift+Tab');
      await told('Changes saved');
    },
  },
  settings: {
    at: () => '/settings',
    work: async ({ page, hands, told }) => {
      await hands.reach('Site name');
      await page.keyboard.press('End');
      await page.keyboard.type(' by keys');
      await page.keyboard.press('Enter');
      await told('Changes saved');
    },
  },
  redirects: {
    at: () => '/redirects',
    work: async ({ page, hands }) => {
      await hands.use('Add redirect');
      await hands.dialog();
      await page.keyboard.type('/typed');
      await hands.reach('Target');
      await page.keyboard.type('/posts');
      await page.keyboard.press('Enter');
      await page.getByText('Redirect from /typed added').waitFor();
      await hands.use('Actions for /typed');
      await hands.choose('Delete');
      await hands.dialog();
      await hands.use('Delete');
      await page.getByText('Redirect from /typed deleted').waitFor();
    },
  },
  'export and import': {
    at: () => '/import-export',
    work: async ({ page, hands }) => {
      await hands.reach('Download archive');
      await hands.reach('Choose folder');
      const opened = page.waitForEvent('filechooser');
      await hands.use('Choose file', 'Enter', 'Shift+Tab');
      await (await opened).setFiles(path.join(import.meta.dirname, '../../samples/ghost.json'));
      await page.getByRole('heading', { name: 'Preview of the import' }).waitFor();
      await hands.use('Import 9 entries');
      await page.getByRole('heading', { name: 'Result' }).waitFor();
    },
  },
  trash: {
    at: () => '/trash',
    work: async ({ page, hands }) => {
      await hands.use('Restore “Clicking”');
      await page.getByText('“Clicking” restored').waitFor();
      await hands.use('Empty trash', 'Enter', 'Shift+Tab');
      await hands.dialog();
      await hands.use('Delete permanently');
      await page.getByRole('heading', { name: 'Trash is empty' }).waitFor();
    },
  },
};

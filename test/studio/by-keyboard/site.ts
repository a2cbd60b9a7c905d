import path from 'node:path';
import { picture } from '../../support/pictures.ts';
import type { Steps } from './desk.ts';

/** The site itself. */
export const site: Steps = {
  media: {
    at: () => '/media',
    work: async ({ page, hands }) => {
      const opened = page.waitForEvent('filechooser');
      await hands.use('Upload');
      const buffer = await picture('jpeg', { width: 300, height: 200 });
      await (await opened).setFiles({ name: 'keys.jpg', mimeType: 'image/jpeg', buffer });
      await page.getByText('300 × 200').waitFor();
      await hands.use('Actions for keys.jpg');
      await hands.choose('Delete');
      await hands.dialog();
      await hands.use('Delete file');
      await page.getByText('“keys.jpg” is deleted').waitFor();
    },
  },
  people: {
    at: () => '/people',
    work: async ({ page, hands }) => {
      await hands.use('Invite somebody');
      await hands.dialog();
      await page.keyboard.type('typed@example.com');
      await hands.reach('Editor');
      await page.keyboard.press('ArrowDown');
      await hands.use('Send invitation');
      await page.getByRole('row').filter({ hasText: 'typed@example.com' }).getByText('Author').waitFor();
      await hands.use('Actions for typed@example.com');
      await hands.choose('Take back');
      await hands.dialog();
      await hands.use('Take back');
      await page.getByText('typed@example.com can no longer accept').waitFor();
    },
  },
  profile: {
    at: () => '/profile',
    work: async ({ page, hands, told }) => {
      await hands.reach('Headline');
      await page.keyboard.type('Types without a mouse');
      await hands.use('Save', 'Enter', 'Shift+Tab');
      await told('Your changes are saved');
    },
  },
  settings: {
    at: () => '/settings',
    work: async ({ page, hands, told }) => {
      await hands.reach('Name of the site');
      await page.keyboard.press('End');
      await page.keyboard.type(' by keys');
      await page.keyboard.press('Enter');
      await told('Your changes are saved');
    },
  },
  redirects: {
    at: () => '/redirects',
    work: async ({ page, hands }) => {
      await hands.use('Add old address');
      await hands.dialog();
      await page.keyboard.type('/typed');
      await hands.reach('Leads to');
      await page.keyboard.type('/posts');
      await page.keyboard.press('Enter');
      await page.getByText('/typed leads on from now on').waitFor();
      await hands.use('Actions for /typed');
      await hands.choose('Delete');
      await hands.dialog();
      await hands.use('Delete');
      await page.getByText('/typed leads nowhere any more').waitFor();
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
      await page.getByRole('heading', { name: 'What would come of it' }).waitFor();
      await hands.use('Import 9 entries');
      await page.getByRole('heading', { name: 'What came of it' }).waitFor();
    },
  },
  trash: {
    at: () => '/trash',
    work: async ({ page, hands }) => {
      await hands.use('Restore “Clicking”');
      await page.getByText('“Clicking” is restored').waitFor();
      await hands.use('Empty the trash', 'Enter', 'Shift+Tab');
      await hands.dialog();
      await hands.use('Delete for good');
      await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
    },
  },
};

import type { Steps } from './desk.ts';

/** Who comes to the site, and what they bought. */
export const audience: Steps = {
  members: {
    at: () => '/members',
    work: async ({ page, hands, told }) => {
      await hands.reach('Find by name or address');
      await page.keyboard.type('grace');
      await page.waitForURL(/q=grace/);
      await hands.use('Clear the search');
      await page.waitForURL((url) => url.search === '');
      await hands.reach('State');
      await page.keyboard.press('ArrowDown');
      await hands.choose('Active');
      await page.getByRole('table').getByText('Blocked').first().waitFor({ state: 'hidden' });
      await hands.use('Actions for');
      await hands.choose('Edit');
      await hands.use('May sign in', 'Space');
      await hands.use('Save');
      await told('Your changes are saved');
    },
  },
  subscribers: {
    at: () => '/subscribers',
    work: async ({ page, hands }) => {
      await hands.reach('Find by name or address');
      await page.keyboard.type('nobody');
      await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
      await hands.use('Show everything');
      await page.getByRole('table', { name: 'Subscribers' }).waitFor();
    },
  },
  newsletters: {
    at: () => '/newsletters',
    work: async ({ page, hands }) => {
      await hands.reach('State');
      await page.keyboard.press('ArrowDown');
      await hands.choose('Paused');
      await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
      await hands.use('Show everything');
      await page.waitForURL((url) => url.search === '');
    },
  },
  testimonials: {
    at: () => '/testimonials',
    work: async ({ page, hands }) => {
      await hands.reach('Show');
      await page.keyboard.press('ArrowDown');
      await hands.choose('On the site');
      await page.waitForURL(/shown=yes/);
      await hands.use('Show what', 'Space');
      await page.getByText(/is (on|off) your site/).waitFor();
    },
  },
  purchases: {
    at: () => '/purchases',
    work: async ({ page, hands }) => {
      await hands.use('Record purchase');
      await hands.dialog();
      await page.keyboard.type('keys@example.com');
      await hands.reach('What was bought');
      await page.keyboard.type('By key');
      await hands.choose('By key');
      await hands.use('Record purchase');
      await page.getByText('The purchase of keys@example.com is recorded').waitFor();
    },
  },
  enrollments: {
    at: () => '/enrollments',
    work: async ({ page, hands }) => {
      await hands.use('Enrol somebody');
      await hands.dialog();
      await page.keyboard.type('keys@example.com');
      await hands.reach('Course');
      await page.keyboard.type('Typing');
      await hands.choose('Typing');
      await hands.use('Enrol somebody');
      await page.getByText('keys@example.com is enrolled').waitFor();
    },
  },
};

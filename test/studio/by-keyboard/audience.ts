import type { Steps } from './desk.ts';

/** Members, subscribers and sales. */
export const audience: Steps = {
  members: {
    at: () => '/members',
    work: async ({ page, hands, told }) => {
      await hands.reach('Find by name or email');
      await page.keyboard.type('grace');
      await page.waitForURL(/q=grace/);
      await hands.use('Clear search');
      await page.waitForURL((url) => url.search === '');
      await hands.reach('Status');
      await page.keyboard.press('ArrowDown');
      await hands.choose('Active');
      await page.getByRole('table').getByText('Blocked').first().waitFor({ state: 'hidden' });
      await hands.use('Actions for');
      await hands.choose('Edit');
      await hands.use('May sign in', 'Space');
      await hands.use('Save');
      await told('Changes saved');
    },
  },
  subscribers: {
    at: () => '/subscribers',
    work: async ({ page, hands }) => {
      await hands.reach('Find by name or email');
      await page.keyboard.type('nobody');
      await page.getByRole('heading', { name: 'No results' }).waitFor();
      await hands.use('Show everything');
      await page.getByRole('table', { name: 'Subscribers' }).waitFor();
    },
  },
  newsletters: {
    at: () => '/newsletters',
    work: async ({ page, hands }) => {
      await hands.reach('Status');
      await page.keyboard.press('ArrowDown');
      await hands.choose('Paused');
      await page.getByRole('heading', { name: 'No results' }).waitFor();
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
      await hands.use('Show the testimonial', 'Space');
      await page.getByText(/is (shown|hidden)/).waitFor();
    },
  },
  purchases: {
    at: () => '/purchases',
    work: async ({ page, hands }) => {
      await hands.use('Record purchase');
      await hands.dialog();
      await page.keyboard.type('keys@example.com');
      await hands.reach('Item');
      await page.keyboard.type('By key');
      await hands.choose('By key');
      await hands.use('Record purchase');
      await page.getByText('Purchase by keys@example.com recorded').waitFor();
    },
  },
  offers: {
    at: () => '/offers',
    work: async ({ page, hands, told }) => {
      await hands.use('Add offer');
      await hands.dialog();
      await hands.reach('Type');
      await page.keyboard.press('ArrowDown');
      await hands.choose('Monthly membership');
      await hands.reach('Title');
      await page.keyboard.type('Keys');
      await hands.reach('Price');
      await page.keyboard.type('5');
      await hands.use('Add offer');
      await told('Offer Keys added');
    },
  },
  memberships: {
    at: () => '/memberships',
    work: async ({ page, hands }) => {
      await hands.reach('Find by email');
      await page.keyboard.type('nobody');
      await page.getByRole('heading', { name: 'No results' }).waitFor();
      await hands.use('Show everything');
      await page.waitForURL((url) => url.search === '');
    },
  },
  enrollments: {
    at: () => '/enrollments',
    work: async ({ page, hands }) => {
      await hands.use('Enroll someone');
      await hands.dialog();
      await page.keyboard.type('keys@example.com');
      await hands.reach('Course');
      await page.keyboard.type('Typing');
      await hands.choose('Typing');
      await hands.use('Enroll someone');
      await page.getByText('keys@example.com enrolled').waitFor();
      await hands.use('Actions for keys@example.com');
      await hands.choose('End enrollment');
      await hands.dialog();
      await hands.use('End enrollment');
      await page.getByText('Enrollment of keys@example.com ended').waitFor();
    },
  },
};

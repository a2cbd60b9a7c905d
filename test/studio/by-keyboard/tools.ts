import type { Steps } from './desk.ts';

/** API keys, assistants and webhooks. */
export const tools: Steps = {
  'API keys': {
    at: () => '/tools/api-keys',
    work: async ({ page, hands }) => {
      await hands.use('Create key');
      await hands.dialog();
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
    work: async ({ page, hands }) => {
      await hands.use('Add webhook');
      await hands.dialog();
      await hands.reach('Address');
      await page.keyboard.type('https://hooks.example.com/more-keys');
      await hands.use('content.created', 'Space');
      await hands.use('Add webhook');
      await hands.use('I have copied it');
      await page.getByRole('link', { name: 'hooks.example.com/more-keys' }).waitFor();
    },
  },
  'one webhook': {
    at: (records) => `/tools/webhooks/${records.webhook}`,
    work: async ({ page, hands }) => {
      await hands.use('Show what was sent: content.created');
      await hands.dialog();
      await hands.use('Send again');
      await page.getByText('Sending again').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await hands.use('Actions for', 'Enter', 'Shift+Tab');
      await hands.choose('Switch off');
      await page.getByText('Webhook disabled').waitFor();
    },
  },
  assistants: {
    at: () => '/tools/assistants',
    work: async ({ page, hands }) => {
      await hands.use('Assistants allowed', 'Space');
      await page.getByText('All assistants blocked').waitFor();
    },
  },
  activity: {
    at: () => '/tools/activity',
    work: async ({ page, hands }) => {
      await hands.use('Next');
      await page.getByText(/^51–/).waitFor();
    },
  },
};

import { expect } from 'vitest';
import { takeRefusal } from '../../support/watched-browser.ts';
import type { Desk, Steps } from './desk.ts';

/** Moves the row with this title one place down its list. */
async function moveDown({ page, hands }: Pick<Desk, 'page' | 'hands'>, title: string) {
  await hands.reach(`Move “${title}”`);
  for (const [key, told] of [
    ['Space', /lifted an item/],
    ['ArrowDown', /moved the item/],
    ['Space', /dropped the item/],
  ] as const) {
    await page.keyboard.press(key);
    await page.getByText(told).waitFor({ state: 'attached' });
  }
}

/** Lists, forms, histories and curricula. */
export const content: Steps = {
  overview: {
    at: () => '/',
    work: async ({ page, hands }) => {
      await hands.use('Pages, sources and campaigns');
      await page.waitForURL(/analytics/);
    },
  },
  analytics: {
    at: () => '/analytics',
    work: async ({ page, hands }) => {
      await hands.reach('7 days', '30 days', '90 days');
      await page.keyboard.press('ArrowRight');
      await page.waitForURL(/period=90d/);
      await hands.use('Show as table');
      await page.getByRole('table', { name: 'Views and visitors over time' }).waitFor();
      await hands.use('/posts/');
      await page.waitForURL(/path=/);
      await hands.use('Page: /posts/');
      await page.waitForURL((url) => !url.search.includes('path='));
    },
  },
  list: {
    at: () => '/posts',
    work: async ({ page, hands }) => {
      await hands.use('Filter');
      await hands.choose('Pinned to the top');
      await page.locator('[role=dialog] input:focus').waitFor({ state: 'attached' });
      await page.keyboard.press('Space');
      await page.waitForURL(/featured=true/);
      await page.keyboard.press('Escape');
      await hands.use('Sort by: Newest first');
      await hands.choose('Oldest first');
      await page.waitForURL(/sort=created/);
    },
  },
  'a record of fields': {
    at: () => '/experience/new',
    work: async ({ page, hands }) => {
      await hands.reach('Role');
      await page.keyboard.type('Typist');
      await hands.reach('Company');
      await page.keyboard.type('Keys & Sons');
      await hands.reach('Skills used');
      await page.keyboard.type('Typing');
      await page.keyboard.press('Enter');
      await hands.use('Publish', 'Enter', 'Shift+Tab');
      await page.getByText('“Typist” published').waitFor();
      await hands.use('More actions');
      await hands.choose('Delete');
      await hands.dialog();
      await hands.use('Delete');
      await page.getByText('“Typist” deleted').waitFor();
    },
  },
  'a conflict': {
    at: (records) => `/posts/${records.conflict}`,
    work: async ({ page, hands, faults, records }) => {
      await hands.reach('Excerpt');
      await page.keyboard.type('Mine');
      await records.changeElsewhere();
      await hands.use('Update', 'Enter', 'Shift+Tab');
      await hands.dialog();
      await hands.reach('+Yours');
      await page.keyboard.press('ArrowDown');
      await hands.use('Apply');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await takeRefusal(faults, 412);
      expect(await page.getByRole('textbox', { name: 'Excerpt' }).inputValue()).toBe('Theirs');
    },
  },
  history: {
    at: (records) => `/posts/${records.post}/history`,
    work: async ({ page, hands }) => {
      await hands.use('Created');
      await hands.reach('Compare with');
      await page.keyboard.press('ArrowDown');
      await hands.choose('Now');
      await hands.use('Restore this version');
      await page.getByText(/^Version of .* restored/).waitFor();
    },
  },
  cv: {
    at: () => '/cv',
    work: async ({ page, hands }) => {
      for (const name of ['Clove hitch', 'Sheet bend']) {
        await hands.use('New skill');
        await hands.reach('Name');
        await page.keyboard.type(name);
        await page.keyboard.press('Control+s');
        await page.getByText(`“${name}” created`).waitFor();
        await hands.use('CV', 'Enter', 'Shift+Tab');
        await page.getByRole('heading', { name: 'CV', exact: true }).waitFor();
      }
      const shown = async () => {
        const names = await page.getByRole('region', { name: 'Skills' }).getByRole('link').allTextContents();
        return names.filter((name) => /Clove hitch|Sheet bend/.test(name));
      };
      // Both have the same creation time, so their order is undefined.
      await expect.poll(async () => (await shown()).length).toBe(2);
      const [first = '', second = ''] = await shown();
      await moveDown({ page, hands }, first);
      await expect.poll(shown).toEqual([second, first]);
      await page.waitForLoadState('networkidle');
      await page.reload();
      await expect.poll(shown).toEqual([second, first]);
    },
  },
  curriculum: {
    at: (records) => `/courses/${records.course}/curriculum`,
    work: async ({ page, hands }) => {
      for (const title of ['Home row', 'Numbers']) {
        await hands.use('Add module');
        await hands.dialog();
        await hands.reach('Title');
        await page.keyboard.type(title);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: title }).waitFor();
      }
      const headings = page.getByRole('heading', { level: 2 });
      const [first = '', second = ''] = await headings.allTextContents();
      await moveDown({ page, hands }, first);
      await expect.poll(() => headings.allTextContents()).toEqual([second, first]);
    },
  },
};

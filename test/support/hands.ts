import type { Page } from 'playwright-core';

/** Most elements between two that are used one after the other. */
const farthest = 90;

/** Somebody at a page who has a keyboard and no mouse. */
export function createHands(page: Page) {
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      if (!(element instanceof HTMLElement) || element === document.body) return '';
      const hasLabels = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
      const labels = hasLabels ? [...(element.labels ?? [])] : [];
      const label = labels.map(({ textContent }) => textContent).join(' ');
      return element.getAttribute('aria-label') ?? (label || element.textContent || '');
    });
  /** The latest keys, each with what had the focus. */
  const way: string[] = [];
  const press = async (key: string, name: string) => {
    way.push(`${key} at “${name}”`);
    if (way.length > 2 * farthest) way.shift();
    await page.keyboard.press(key);
  };
  /** Goes from element to element until one that is called so has the focus. */
  const reachBy = async (key: string, names: readonly string[]) => {
    for (let steps = 0; steps < farthest; steps++) {
      const name = await focused();
      if (names.some((wanted) => name.startsWith(wanted))) return name;
      await press(key, name);
    }
    throw new Error(`no ${names.join(' or ')} within reach; the way was ${way.join(', ')}`);
  };
  return {
    /** Waits until a dialog has the focus: what is typed before would go elsewhere. */
    dialog: () => page.locator('[role="dialog"]:focus-within').waitFor(),
    reach: (...names: string[]) => reachBy('Tab', names),
    /** Goes to an element and presses it. */
    use: async (name: string, key = 'Enter', towards = 'Tab') => press(key, await reachBy(towards, [name])),
    /** Goes down an open menu or list of choices. */
    choose: async (name: string) => {
      const item = page.getByRole('menuitem', { name }).or(page.getByRole('option', { name })).first();
      await item.waitFor();
      const isMenu = (await item.getAttribute('role')) === 'menuitem';
      if (isMenu) await reachBy('ArrowDown', [name]);
      else await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
    },
  };
}

export type Hands = ReturnType<typeof createHands>;

import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Most elements between two that are used one after the other. */
const farthest = 90;

/** Somebody at a page who has a keyboard and no mouse. */
export function createHands(page: Page) {
  /** What the element that has the focus is called, or all those that can be reached. */
  const called = (which: 'focused' | 'all') =>
    page.evaluate(async (which) => {
      // Dialogs, menus and lists of choices move the focus in a task of their own, which comes before anybody's next key.
      await new Promise((done) => setTimeout(done));
      const places = 'a, button, input, textarea, summary, [contenteditable], [tabindex]';
      const { activeElement, body } = document;
      const found = which === 'all' ? [...document.querySelectorAll(places)] : [activeElement];
      return found.map((element) => {
        if (!(element instanceof HTMLElement) || element === body) return '';
        if (!element.checkVisibility() || element.matches(':disabled')) return '';
        const hasLabels = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
        const labels = hasLabels ? [...(element.labels ?? [])] : [];
        const label = labels.map(({ textContent }) => textContent).join(' ');
        return element.getAttribute('aria-label') ?? (label || element.textContent || '');
      });
    }, which);
  /** The latest keys, each with what had the focus. */
  const way: string[] = [];
  const press = async (key: string, name: string) => {
    way.push(`${key} at “${name}”`);
    if (way.length > 2 * farthest) way.shift();
    await page.keyboard.press(key);
  };
  /** Goes from element to element until one that is called so has the focus. */
  const reachBy = async (key: string, names: readonly string[]) => {
    const isWanted = (name: string) => names.some((wanted) => name.startsWith(wanted));
    // It may come with an answer of the service.
    await expect.poll(() => called('all')).toSatisfy((all: string[]) => all.some(isWanted));
    for (let steps = 0; steps < farthest; steps++) {
      const [name = ''] = await called('focused');
      if (isWanted(name)) return name;
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

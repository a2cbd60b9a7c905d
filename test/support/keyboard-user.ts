import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Maximum number of elements between two that a user visits in sequence. */
const farthest = 90;

/** Creates a user of a page who has a keyboard and no mouse. */
export function createKeyboardUser(page: Page) {
  /** Returns the name of the focused element, or of all elements that can have the focus. */
  const called = (which: 'focused' | 'all') =>
    page.evaluate(async (which) => {
      // Dialogs, menus and option lists move the focus in a separate task, which runs before a user's next key.
      await new Promise((done) => setTimeout(done));
      const positions = 'a, button, input, textarea, summary, [contenteditable], [tabindex]';
      const { activeElement, body } = document;
      const found = which === 'all' ? [...document.querySelectorAll(positions)] : [activeElement];
      return found.map((element) => {
        if (!(element instanceof HTMLElement) || element === body) return '';
        if (!element.checkVisibility() || element.matches(':disabled')) return '';
        const hasLabels = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
        const labels = hasLabels ? [...(element.labels ?? [])] : [];
        const label = labels.map(({ textContent }) => textContent).join(' ');
        return element.getAttribute('aria-label') ?? (label || element.textContent || '');
      });
    }, which);
  /** Last keys, each with the element that had the focus. */
  const way: string[] = [];
  const press = async (key: string, name: string) => {
    way.push(`${key} at “${name}”`);
    if (way.length > 2 * farthest) way.shift();
    await page.keyboard.press(key);
  };
  /** Presses a key until an element with one of these names has the focus. Throws after too many elements. */
  const reachBy = async (key: string, names: readonly string[]) => {
    const isWanted = (name: string) => names.some((wanted) => name.startsWith(wanted));
    // The element may appear only after an answer of the service.
    await expect.poll(() => called('all')).toSatisfy((all: string[]) => all.some(isWanted));
    for (let steps = 0; steps < farthest; steps++) {
      const [name = ''] = await called('focused');
      if (isWanted(name)) return name;
      await press(key, name);
    }
    throw new Error(`no element named ${names.join(' or ')} was reached; keys: ${way.join(', ')}`);
  };
  return {
    /** Waits until a dialog has the focus. Keys before that would reach other elements. */
    dialog: () => page.locator('[role="dialog"]:focus-within').waitFor(),
    reach: (...names: string[]) => reachBy('Tab', names),
    /** Moves to an element and presses it. */
    use: async (name: string, key = 'Enter', towards = 'Tab') => press(key, await reachBy(towards, [name])),
    /** Chooses an item of an open menu or option list. */
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

export type KeyboardUser = ReturnType<typeof createKeyboardUser>;

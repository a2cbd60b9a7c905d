import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { Driver } from './driver.ts';

/** Maximum number of Tab presses to reach an element. */
const farthest = 90;

const positions = {
  button: 'button, [role="button"], [role="menuitem"], summary',
  link: 'a[href]',
  field: 'input:not([type="hidden"]), textarea, [contenteditable="true"]',
};

/** Operates a browser by the visible names of elements. */
export function createPerson(driver: Driver, origin: string) {
  const find = (selector: string, name: string, where: 'anywhere' | 'in focus') =>
    driver.find(findCalled, selector, name, where).catch(() => null);
  const element = (kind: keyof typeof positions, name: string) =>
    eventually(() => find(positions[kind], name, 'anywhere'), 20_000).catch(() => {
      throw new Error(`no ${kind} named ${name}`);
    });
  // During a navigation there is no body.
  // biome-ignore lint/performance/useDomNodeTextContent: what is out of sight is not seen.
  const text = () => driver.run(() => document.body.innerText).catch(() => '');
  return {
    driver,
    go: (path: string) => driver.go(origin + path),
    /** Retries if the element was rendered again in the meantime. */
    click: (kind: 'button' | 'link', name: string) =>
      eventually(async () => {
        const found = await element(kind, name);
        return found.click().then(
          () => true,
          () => false,
        );
      }, 30_000),
    fill: async (name: string, value: string) => (await element('field', name)).fill(value),
    /** Clicks a field and types. */
    async write(name: string, value: string) {
      await (await element('field', name)).click();
      await driver.type(value);
    },
    chooseFile: async (selector: string, file: string) => {
      const input = await eventually(() =>
        driver.find((selector: string) => document.querySelector(selector), selector),
      );
      await input.chooseFile(file);
    },
    /** Waits until the page contains a text. */
    sees: (words: string) => expect.poll(text).toContain(words),
    text,
    path: () => driver.run(() => location.pathname).catch(() => ''),
    /** Waits until a page has loaded, at most 5 seconds: a page from the cache may never report it. */
    whole: () =>
      eventually(() => driver.run(() => document.readyState === 'complete').catch(() => false), 5_000).catch(
        () => false,
      ),
    /** Presses Tab until the element with this name has the focus. */
    async reach(kind: keyof typeof positions, name: string, held?: 'Shift') {
      await eventually(() => find(positions[kind], name, 'anywhere'), 20_000).catch(() => {
        throw new Error(`no ${kind} named ${name}`);
      });
      for (let steps = 0; steps < farthest; steps++) {
        if (await find(positions[kind], name, 'in focus')) return;
        await driver.press('Tab', held);
      }
      throw new Error(`no ${kind} ${name} within reach`);
    },
  };
}

export type Person = ReturnType<typeof createPerson>;

// The function below runs in the page.

function findCalled(selector: string, name: string, where: 'anywhere' | 'in focus'): Element | null {
  const nameOf = (element: HTMLElement) => {
    const labels = 'labels' in element ? [...((element as HTMLInputElement).labels ?? [])] : [];
    const label = labels.map(({ textContent }) => textContent).join(' ');
    return element.getAttribute('aria-label') || label || element.textContent || '';
  };
  // A click during an animation could hit another element.
  const moves = document.getAnimations().some(({ playState, effect }) => {
    const { endTime } = effect?.getComputedTiming() ?? {};
    return playState === 'running' && Number.isFinite(Number(endTime));
  });
  if (moves && where === 'anywhere') return null;
  const all = [...document.querySelectorAll<HTMLElement>(selector)].filter(
    (element) =>
      element.checkVisibility() &&
      !element.matches(':disabled') &&
      (where === 'anywhere' || element === document.activeElement),
  );
  const named = all.map((element) => ({ element, name: nameOf(element).trim() }));
  const exact = named.find((one) => one.name === name);
  return (exact ?? named.find((one) => one.name.includes(name)))?.element ?? null;
}

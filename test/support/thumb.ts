import type { Page } from 'playwright-core';

/** A phone as small as most are. */
export const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** What of all controls a thumb misses, and what iPhones enlarge the page around when it is typed into. */
export const findSmall = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const typed = 'input:not([type=checkbox], [type=radio], [type=file]), textarea, .cm-content';
    const links = '.button, .top li a, .bottom li a, .tags a, .pager a';
    const pressed = `button, [role=menuitem], ${links}, summary, input[type=checkbox], ${typed}`;
    // Words within what is pressed as a whole, buttons of a pill, and steps that a keyboard has.
    const within = '.mantine-Pill-root, [data-type=hidden], .mantine-NumberInput-controls, p';
    // Of two pixels a border takes one each.
    const isLarge = (element: Element) => {
      const { right, bottom, width, height } = element.getBoundingClientRect();
      const after = getComputedStyle(element, '::after');
      const hasMore = after.content !== 'none' && after.position === 'absolute';
      const [above, beside] = hasMore ? [after.top, after.left].map(Number.parseFloat) : [0, 0];
      const least = element.closest('[role=toolbar]') ? 36 : 44;
      const isSeen = right > 0 && bottom > 0;
      return !isSeen || (width - 2 * (beside ?? 0) >= least && height - 2 * (above ?? 0) >= 42);
    };
    const name = (element: Element) =>
      element.ariaLabel ?? (element.textContent || element.outerHTML.slice(0, 120));
    const seen = [...document.querySelectorAll(pressed)].filter(
      (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(within),
    );
    const small = seen.filter((element) => element.getBoundingClientRect().width > 1 && !isLarge(element));
    const fine = seen.filter(
      (element) => element.matches(typed) && Number.parseFloat(getComputedStyle(element).fontSize) < 16,
    );
    return [
      ...small.map((element) => `small: ${name(element)}`),
      ...fine.map((element) => `fine: ${name(element)}`),
    ];
  });

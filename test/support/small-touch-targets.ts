import type { Page } from 'playwright-core';

/** Phone with a small screen. */
export const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** Finds controls that are too small for a thumb, and inputs whose small font makes iPhones zoom the page. */
export const findSmall = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const typed = 'input:not([type=checkbox], [type=radio], [type=file]), textarea, .cm-content';
    const links = '.button, .top li a, .bottom li a, .tags a, .pager a';
    const pressed = `button, [role=menuitem], ${links}, summary, input[type=checkbox], ${typed}`;
    // Text inside larger controls, buttons of a pill, and steppers that a keyboard also provides.
    const within = '.mantine-Pill-root, [data-type=hidden], .mantine-NumberInput-controls, p';
    // Two pixels are allowed for the border.
    const isLarge = (element: Element) => {
      const { right, bottom, width, height } = element.getBoundingClientRect();
      const after = getComputedStyle(element, '::after');
      const hasMore = after.content !== 'none' && after.position === 'absolute';
      const [above, beside] = hasMore ? [after.top, after.left].map(Number.parseFloat) : [0, 0];
      const min = element.closest('[role=toolbar]') ? 36 : 44;
      const isSeen = right > 0 && bottom > 0;
      return !isSeen || (width - 2 * (beside ?? 0) >= min && height - 2 * (above ?? 0) >= 42);
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

import { useWindowEvent } from '@mantine/hooks';
import { useRef } from 'react';

/**
 * For what covers the screen and leaves what is below it inert: Escape closes it, and so does who presses what it left in sight.
 * Gives the ref of the button that it opens by, where one then goes on.
 */
export function useCovering<E extends HTMLElement>(isOpen: boolean, close: () => void) {
  const button = useRef<E>(null);
  const leave = () => {
    close();
    button.current?.focus();
  };
  // Before what is in front of it is closed by the same key.
  useWindowEvent(
    'keydown',
    ({ key, isComposing, target }) => {
      const isOfOther =
        document.querySelector('[aria-modal="true"]') ||
        (target instanceof Element && target.matches('[data-mantine-stop-propagation="true"]'));
      if (isOpen && key === 'Escape' && !isComposing && !isOfOther) leave();
    },
    { capture: true },
  );
  useWindowEvent('click', ({ target }) => {
    // What is inert is pressed through.
    if (isOpen && target instanceof Element && target.querySelector(':scope > [inert]')) leave();
  });
  return button;
}

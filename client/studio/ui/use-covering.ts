import { useWindowEvent } from '@mantine/hooks';
import { useRef } from 'react';

/**
 * Behavior of a panel over inert content: Escape closes it, or a click on visible content beside it. Returns the ref of its
 * button, which gets the focus back.
 */
export function useCovering<E extends HTMLElement>(isOpen: boolean, close: () => void) {
  const button = useRef<E>(null);
  const isPressedBeside = useRef(false);
  const leave = () => {
    close();
    button.current?.focus();
  };
  // Listen in the capture phase: later, a dialog in front of the panel would already have closed on the same key.
  useWindowEvent(
    'keydown',
    (event) => {
      const isCovered = document.querySelector('[aria-modal="true"]') || button.current?.closest('[inert]');
      if (!isOpen || event.key !== 'Escape' || event.isComposing || isCovered || hasList(event.target))
        return;
      // Closing makes the content below active again, so other listeners must not receive the key.
      event.stopImmediatePropagation();
      leave();
    },
    { capture: true },
  );
  // A text selection may start in the panel and end beside it, which also causes a click.
  useWindowEvent('pointerdown', ({ target }) => {
    isPressedBeside.current = isBeside(target);
  });
  useWindowEvent('click', ({ target }) => {
    if (isOpen && isPressedBeside.current && isBeside(target)) leave();
  });
  return button;
}

/** True if a click was on the inert content beside the panel. Such a click targets the content's parent. */
const isBeside = (target: EventTarget | null) =>
  target instanceof Element && target.querySelector(':scope > [inert]') !== null;

/**
 * True if Escape should first close an open list or menu of the input. Mantine sets the attribute even if the list is empty
 * and hidden.
 */
function hasList(target: EventTarget | null) {
  if (!(target instanceof Element) || !target.matches('[data-mantine-stop-propagation="true"]')) return false;
  const list = document.getElementById(target.getAttribute('aria-controls') ?? '');
  return list?.checkVisibility() ?? true;
}

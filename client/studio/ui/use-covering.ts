import { useWindowEvent } from '@mantine/hooks';
import { useRef } from 'react';

/**
 * For a panel over inert content: Escape closes it, or a click on what is visible beside it. Returns the ref of its button, which gets
 * the focus back.
 */
export function useCovering<E extends HTMLElement>(isOpen: boolean, close: () => void) {
  const button = useRef<E>(null);
  const isPressedBeside = useRef(false);
  const leave = () => {
    close();
    button.current?.focus();
  };
  // While capturing: later, a dialog in front would be gone already.
  useWindowEvent(
    'keydown',
    (event) => {
      const isCovered = document.querySelector('[aria-modal="true"]') || button.current?.closest('[inert]');
      if (!isOpen || event.key !== 'Escape' || event.isComposing || isCovered || hasList(event.target))
        return;
      // What is under it is no longer inert when other listeners are called.
      event.stopImmediatePropagation();
      leave();
    },
    { capture: true },
  );
  // Whoever selects words may begin in the panel and end beside it, which is a click, too.
  useWindowEvent('pointerdown', ({ target }) => {
    isPressedBeside.current = isBeside(target);
  });
  useWindowEvent('click', ({ target }) => {
    if (isOpen && isPressedBeside.current && isBeside(target)) leave();
  });
  return button;
}

/** A click on something inert lands on its parent. */
const isBeside = (target: EventTarget | null) =>
  target instanceof Element && target.querySelector(':scope > [inert]') !== null;

/** Whether Escape closes a list or menu of it first. Mantine says so of a list that is not shown as nothing is in it, too. */
function hasList(target: EventTarget | null) {
  if (!(target instanceof Element) || !target.matches('[data-mantine-stop-propagation="true"]')) return false;
  const list = document.getElementById(target.getAttribute('aria-controls') ?? '');
  return list?.checkVisibility() ?? true;
}

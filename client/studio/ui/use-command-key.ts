import { useHotkeys } from '@mantine/hooks';
import type { KeyboardEvent as ReactKeyboardEvent } from 'react';

/** Whether keys are Command rather than Control. */
export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

/**
 * Command with a letter on a Mac, else Control with it, wherever one types. Control and a letter are editing keys on a Mac:
 * Control+K deletes to the end of the line there.
 */
export const useCommandKey = (key: string, run: (event: KeyboardEvent) => void) =>
  useHotkeys([[`${isMac ? 'meta' : 'ctrl'}+${key}`, run]], [], true);

/** The same as it is shown. */
export const commandKeyLabel = (key: string): string => (isMac ? `⌘${key}` : `Ctrl ${key}`);

/** For a form: what saves, or does what the form is for, wherever one is in it. */
export function submitByKeys(event: ReactKeyboardEvent<HTMLFormElement>) {
  const isCommand = isMac ? event.metaKey : event.ctrlKey;
  if (!isCommand || !['s', 'S', 'Enter'].includes(event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  event.currentTarget.requestSubmit();
}

/** Whether a question or form stands in front of the screen, whose keys are its own. */
export const isDialogOpen = () => document.querySelector('[aria-modal="true"]:not([data-palette])') !== null;

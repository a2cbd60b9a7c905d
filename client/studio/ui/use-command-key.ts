import { useHotkeys } from '@mantine/hooks';
import type { KeyboardEvent as ReactKeyboardEvent } from 'react';

/** True if shortcuts use Command instead of Control. */
export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

/**
 * Binds Command with a key on a Mac, and Control elsewhere, also in inputs. Control with a letter edits text on a Mac:
 * Control+K deletes to the end of the line.
 */
export const useCommandKey = (key: string, run: (event: KeyboardEvent) => void) =>
  useHotkeys([[`${isMac ? 'meta' : 'ctrl'}+${key}`, run]], [], true);

export const commandKeyLabel = (key: string): string => (isMac ? `⌘${key}` : `Ctrl ${key}`);

/** Submits a form on Command or Control with S or Enter. */
export function submitByKeys(event: ReactKeyboardEvent<HTMLFormElement>) {
  const isCommand = isMac ? event.metaKey : event.ctrlKey;
  if (!isCommand || !['s', 'S', 'Enter'].includes(event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  event.currentTarget.requestSubmit();
}

/** True if a dialog other than the command palette is open, which then owns the shortcuts. */
export const isDialogOpen = () => document.querySelector('[aria-modal="true"]:not([data-palette])') !== null;

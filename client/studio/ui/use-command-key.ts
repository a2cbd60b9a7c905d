import { useHotkeys } from '@mantine/hooks';
import { isMac } from './is-mac.ts';

/**
 * Command with a letter on a Mac, else Control with it, wherever one types. Control and a letter are editing keys on a Mac:
 * Control+K deletes to the end of the line there.
 */
export const useCommandKey = (letter: string, run: (event: KeyboardEvent) => void) =>
  useHotkeys([[`${isMac ? 'meta' : 'ctrl'}+${letter}`, run]], [], true);

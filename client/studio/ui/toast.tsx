import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { wordsFor } from '../strings/errors.ts';
import { texts } from '../strings/texts.ts';
import { randomId } from './browser.ts';

/** Tells what happened, and offers to take it back, or something else that one may want to do next. */
export function toast(message: string, offered?: { label: string; run(): void } | (() => void)) {
  const id = randomId();
  const offer = typeof offered === 'function' ? { label: texts.common.undo, run: offered } : offered;
  const accept = () => {
    notifications.hide(id);
    offer?.run();
  };
  notifications.show({
    id,
    withBorder: true,
    withCloseButton: false,
    autoClose: offer ? 8_000 : 4_000,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="md">
        <Text fz="sm">{message}</Text>
        {offer && (
          <Button size="compact-sm" variant="light" flex="none" onClick={accept}>
            {offer.label}
          </Button>
        )}
      </Group>
    ),
  });
}

/** Tells what failed. */
export const toastError = (error: unknown) => toastReason(wordsFor(error));

/** The same in words of its own. */
export const toastReason = (message: string) =>
  notifications.show({
    // What is in sight already is not told a second time below itself.
    id: message,
    color: 'red',
    withBorder: true,
    message,
    autoClose: 8_000,
    closeButtonProps: { 'aria-label': texts.common.close },
  });

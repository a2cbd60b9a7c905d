import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { messageFor } from '../strings/errors.ts';
import { strings } from '../strings/ui-strings.ts';
import { randomId } from './browser.ts';

/** Shows a message, with an optional button: undo, or another next step. */
export function toast(message: string, offered?: { label: string; run(): void } | (() => void)) {
  const id = randomId();
  const offer = typeof offered === 'function' ? { label: strings.common.undo, run: offered } : offered;
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

export const toastError = (error: unknown) => toastReason(messageFor(error));

/** Shows a failure in the given words. */
export const toastReason = (message: string) =>
  notifications.show({
    // The text is the ID, so that the same message does not appear twice.
    id: message,
    color: 'red',
    withBorder: true,
    message,
    autoClose: 8_000,
    closeButtonProps: { 'aria-label': strings.common.close },
  });

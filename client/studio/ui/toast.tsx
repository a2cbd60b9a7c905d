import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { wordsFor } from '../texts/errors.ts';
import { texts } from '../texts/texts.ts';

/** Tells what happened, and offers to take it back. */
export function say(message: string, undo?: () => void) {
  const id = crypto.randomUUID();
  const takeBack = () => {
    notifications.hide(id);
    undo?.();
  };
  notifications.show({
    id,
    withBorder: true,
    withCloseButton: false,
    autoClose: undo ? 8_000 : 4_000,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="md">
        <Text fz="sm">{message}</Text>
        {undo && (
          <Button size="compact-sm" variant="light" onClick={takeBack}>
            {texts.common.undo}
          </Button>
        )}
      </Group>
    ),
  });
}

/** Tells what failed. */
export const sayFailed = (error: unknown) => sayReason(wordsFor(error));

/** The same in words of its own. */
export const sayReason = (message: string) =>
  notifications.show({ color: 'red', withBorder: true, message, autoClose: 8_000 });

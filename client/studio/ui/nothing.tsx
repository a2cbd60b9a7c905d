import { Text } from '@mantine/core';

/** In place of a part of a screen that is empty. */
export const Nothing = ({ words }: { words: string }) => (
  <Text c="dimmed" fz="sm">
    {words}
  </Text>
);

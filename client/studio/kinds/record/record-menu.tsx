import { ActionIcon, Menu, useMantineTheme } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { texts } from '../../texts/texts.ts';
import { IconDots } from '../../ui/icons.ts';
import type { RecordAction } from './record-actions.tsx';

/** What is seldom done with a record; on a phone also what has no room in the bar. */
export function RecordMenu({ actions }: { actions: readonly RecordAction[] }) {
  const { breakpoints } = useMantineTheme();
  // What is only hidden would still be where the arrow keys begin.
  const isBelow = {
    sm: useMediaQuery(`(width < ${breakpoints.sm})`),
    md: useMediaQuery(`(width < ${breakpoints.md})`),
  };
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <ActionIcon size={36} aria-label={texts.common.more}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions
          .filter(({ below }) => !below || isBelow[below])
          .map(({ label, icon: ActionShape, does, isDangerous }) => (
            <Menu.Item
              key={label}
              {...(isDangerous && { color: 'red' })}
              leftSection={<ActionShape size={15} />}
              {...does}
            >
              {label}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}

import { ActionIcon, Menu } from '@mantine/core';
import { type Icon, IconDots, IconEdit, IconTrash } from '@tabler/icons-react';
import { strings } from '../strings/ui-strings.ts';
import type { TableColumn } from './data-table.tsx';

export interface RowAction {
  label: string;
  icon: Icon;
  run(): void;
  isDangerous?: boolean;
}

/** An action, or a falsy value if it is not allowed. */
export type OptionalAction<Action> = Action | false | '' | 0 | null | undefined;

/** Removes the falsy values. */
export const offered = <Action,>(actions: readonly OptionalAction<Action>[]): Action[] =>
  actions.flatMap((action) => action || []);

/** Menu with the actions for one row. */
export const RowMenu = ({ of, actions }: { of: string; actions: readonly OptionalAction<RowAction>[] }) => (
  <Menu position="bottom-end" shadow="md">
    <Menu.Target>
      <ActionIcon aria-label={strings.common.actionsFor(of)} size={32}>
        <IconDots size={17} />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      {offered(actions).map(({ label, icon: ActionIconShape, run, isDangerous }) => (
        <Menu.Item
          key={label}
          leftSection={<ActionIconShape size={15} />}
          {...(isDangerous && { color: 'red' })}
          onClick={run}
        >
          {label}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);

export const menuColumn = <Row,>(
  nameOf: (row: Row) => string,
  actionsOf: (row: Row) => readonly OptionalAction<RowAction>[],
): TableColumn<Row> => ({
  label: strings.common.actions,
  column: 'actions',
  cell: (row) => <RowMenu of={nameOf(row)} actions={actionsOf(row)} />,
});

/** Returns the action that opens a row's form. */
export const editing = (run: () => void, label: string = strings.common.edit): RowAction => ({
  label,
  icon: IconEdit,
  run,
});

export const deletion = (run: () => void, label: string = strings.common.delete): RowAction => ({
  label,
  icon: IconTrash,
  run,
  isDangerous: true,
});

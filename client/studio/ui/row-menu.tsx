import { ActionIcon, Menu } from '@mantine/core';
import { texts } from '../strings/texts.ts';
import type { TableColumn } from './data-table.tsx';
import { type Icon, IconDots, IconEdit, IconTrash } from './icons.ts';

export interface RowAction {
  label: string;
  icon: Icon;
  run(): void;
  isDangerous?: boolean;
}

/** What may be done, or nothing. */
export type Offered<Action> = Action | false | '' | 0 | null | undefined;

/** Those that may be done. */
export const offered = <Action,>(actions: readonly Offered<Action>[]): Action[] =>
  actions.flatMap((action) => action || []);

/** What can be done with one row. */
export const RowMenu = ({ of, actions }: { of: string; actions: readonly Offered<RowAction>[] }) => (
  <Menu position="bottom-end" shadow="md">
    <Menu.Target>
      <ActionIcon aria-label={texts.common.actionsFor(of)} size={32}>
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

/** The column that has what can be done with each row. */
export const menuColumn = <Row,>(
  nameOf: (row: Row) => string,
  actionsOf: (row: Row) => readonly Offered<RowAction>[],
): TableColumn<Row> => ({
  label: texts.common.actions,
  place: 'actions',
  cell: (row) => <RowMenu of={nameOf(row)} actions={actionsOf(row)} />,
});

/** What opens the form of a row. */
export const editing = (run: () => void, label: string = texts.common.edit): RowAction => ({
  label,
  icon: IconEdit,
  run,
});

/** What takes a row away. */
export const deletion = (run: () => void, label: string = texts.common.delete): RowAction => ({
  label,
  icon: IconTrash,
  run,
  isDangerous: true,
});

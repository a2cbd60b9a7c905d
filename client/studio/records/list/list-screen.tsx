import { Button } from '@mantine/core';
import { type Icon, IconExternalLink, IconPlus } from '@tabler/icons-react';
import { Fragment, type ReactNode, useState } from 'react';
import { useSiteLink } from '../../data/api.tsx';
import type { TableColumn } from '../../ui/data-table.tsx';
import { Empty } from '../../ui/pending.tsx';
import { menuColumn, type OptionalAction, type RowAction } from '../../ui/row-menu.tsx';
import { Screen } from '../../ui/screen.tsx';
import { ListTools, Only, type OnlyProps } from './list-tools.tsx';
import { PagedList } from './paged-list.tsx';
import type { ListPage } from './use-list-page.ts';

interface Menu<Row> {
  nameOf(row: Row): string;
  actionsOf(row: Row, edit: () => void): readonly OptionalAction<RowAction>[];
}

interface ListScreenProps<Row> {
  /** Texts of the screen. Without `search` there is no search input, without `add` no button that adds a row. */
  words: { title: string; lead: ReactNode; none: string; noneLead: string; search?: string; add?: string };
  icon: Icon;
  list: ListPage<Row>;
  columns: readonly TableColumn<Row>[];
  /** Filters beside the search input. */
  only?: readonly OnlyProps[];
  /** Returns a row's name, and the actions of its menu. Their parameter `edit` opens the row's form. */
  menu?: Menu<Row> | false;
  /** Renders the form of a row; `row` is null for a new one. */
  form?(row: Row | null, close: () => void): ReactNode;
  /** False hides the button that adds a row. */
  mayAdd?: boolean;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** Button of the empty list; by default the one that adds a row. */
  begin?: ReactNode;
  children?: ReactNode;
}

/** Screen with one list. */
export function ListScreen<Row extends { id: string }>(props: ListScreenProps<Row>) {
  const {
    words: labels,
    icon,
    list,
    columns,
    only = [],
    menu,
    form,
    mayAdd = true,
    actions,
    children,
  } = props;
  const { title, lead, search } = labels;
  const [opened, setOpened] = useState<{ row: Row | null } | null>(null);
  const add = labels.add && mayAdd && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setOpened({ row: null })}>
      {labels.add}
    </Button>
  );
  const { begin = add } = props;
  const empty = <Empty icon={icon} title={labels.none} lead={labels.noneLead} action={begin} />;
  const besideTitle = (actions || add) && (
    <>
      {actions}
      {add}
    </>
  );
  const actionsOf = (row: Row) => (menu ? menu.actionsOf(row, () => setOpened({ row })) : []);
  const listed = menu ? [...columns, menuColumn(menu.nameOf, actionsOf)] : columns;
  // The current row, so that a form opened soon after saving shows the saved values.
  const shown = list.data?.items.find(({ id }) => id === opened?.row?.id) ?? opened?.row ?? null;
  return (
    <Screen {...{ title, lead }} actions={besideTitle}>
      {(search || only.length > 0) && (
        <ListTools {...(search && { label: search })}>
          {only.map((choice) => (
            <Only key={choice.name} {...choice} />
          ))}
        </ListTools>
      )}
      <PagedList {...{ list, empty }} columns={listed} label={title} />
      {opened && <Fragment key={opened.row?.id}>{form?.(shown, () => setOpened(null))}</Fragment>}
      {children}
    </Screen>
  );
}

/** Link to the page of the site where visitors create the rows of a list. */
export function ToSite({ path, children }: { path: string; children: string }) {
  const linkTo = useSiteLink();
  return (
    <Button
      component="a"
      href={linkTo(path)}
      target="_blank"
      variant="default"
      rightSection={<IconExternalLink size={15} />}
    >
      {children}
    </Button>
  );
}

import { Button } from '@mantine/core';
import { Fragment, type ReactNode, useState } from 'react';
import { useSiteLink } from '../../data/api.tsx';
import type { TableColumn } from '../../ui/data-table.tsx';
import { type Icon, IconExternalLink, IconPlus } from '../../ui/icons.ts';
import { Empty } from '../../ui/pending.tsx';
import { menuColumn, type Offered, type RowAction } from '../../ui/row-menu.tsx';
import { Screen } from '../../ui/screen.tsx';
import { ListTools, Only, type OnlyProps } from './list-tools.tsx';
import { PagedList } from './paged-list.tsx';
import type { ListPage } from './use-list-page.ts';

interface Menu<Row> {
  nameOf(row: Row): string;
  actionsOf(row: Row, edit: () => void): readonly Offered<RowAction>[];
}

interface ListScreenProps<Row> {
  /** `search` is left out where no words are looked for, `add` where none is added by a form. */
  words: { title: string; lead: ReactNode; none: string; noneLead: string; search?: string; add?: string };
  icon: Icon;
  list: ListPage<Row>;
  columns: readonly TableColumn<Row>[];
  /** What it can be narrowed to, besides words. */
  only?: readonly OnlyProps[];
  /** What can be done with a row, and what the row is called; `edit` opens its form. */
  menu?: Menu<Row> | false;
  /** The form of a row, or of one that is added. */
  form?(row: Row | null, close: () => void): ReactNode;
  /** Whether somebody may add one. */
  mayAdd?: boolean;
  /** Beside the title. */
  actions?: ReactNode;
  /** How to begin, where that is not by adding one. */
  begin?: ReactNode;
  /** Its dialogs. */
  children?: ReactNode;
}

/** A screen that is one list of the service. */
export function ListScreen<Row extends { id: string }>(props: ListScreenProps<Row>) {
  const { words, icon, list, columns, only = [], menu, form, mayAdd = true, actions, children } = props;
  const { title, lead, search } = words;
  const [opened, setOpened] = useState<{ row: Row | null } | null>(null);
  const add = words.add && mayAdd && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setOpened({ row: null })}>
      {words.add}
    </Button>
  );
  const { begin = add } = props;
  const empty = <Empty icon={icon} title={words.none} lead={words.noneLead} action={begin} />;
  const besideTitle = (actions || add) && (
    <>
      {actions}
      {add}
    </>
  );
  const actionsOf = (row: Row) => (menu ? menu.actionsOf(row, () => setOpened({ row })) : []);
  const listed = menu ? [...columns, menuColumn(menu.nameOf, actionsOf)] : columns;
  // As it is known by now: whoever opens it again soon after saving finds what they have saved.
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

/** Leads to the page of the site where visitors do what a list here waits for. */
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
